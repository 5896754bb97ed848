import { listRoles, type Roles } from '../../../shared/api/roles.ts'
import {
  companyPrivileges,
  companyRoles,
  privilegesOf,
  teamPrivileges,
  teamRoles,
  type Privilege,
} from '../../../shared/roles.ts'
import type { Router } from '../../plugins/routes.ts'

/** The table of roles and privileges, for whoever wants to know what to ask for. */
export function addRoleRoutes(router: Router): void {
  const all = describeRoles()
  router.add(listRoles, () => all)
}

function describeRoles(): Roles {
  const company = companyRoles.map((name) => [name, privilegesOf([name], [])] as const)
  const team = teamRoles.map((name) => [name, privilegesOf([], [name])] as const)
  const roles = (grants: typeof company | typeof team) =>
    Object.fromEntries(grants.map(([name, given]) => [name, { name, privileges: [...given] }]))
  const privileges = (names: readonly Privilege[]) =>
    Object.fromEntries(
      names.map((name) => {
        const giving = [...company, ...team].filter(([, given]) => given.has(name))
        return [name, { name, roles: giving.map(([role]) => role) }]
      }),
    )
  return {
    customRoles: { company: {}, team: {} },
    roles: { company: roles(company), team: roles(team) },
    privileges: { company: privileges(companyPrivileges), team: privileges(teamPrivileges) },
  }
}
