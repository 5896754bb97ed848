import {
  addTeamUsers,
  listActiveUsers,
  listCompanyUsers,
  listUsers,
  pageActiveUsers,
  pageCompanyUsers,
  pageCompanyUsersByState,
  pageUsers,
  reactivateUser,
  removeTeamUser,
  revokeUser,
  setCompanyRoles,
  setTeamRoles,
  type User,
} from '../../../shared/api/users.ts'
import type { Router } from '../../plugins/routes.ts'
import { pageOfList } from '../../records/page.ts'
import type { Store } from '../../store/store.ts'
import { createUserService } from './service.ts'

const byAddress = (user: User) => user.identifier
const isActive = (user: User) => user.state === 'ACTIVE'

/** People of teams and companies, their roles and their access. */
export function addUserRoutes(router: Router, { store }: { store: Store }): void {
  const users = createUserService(store)
  router.add(listUsers, ({ team }) => users.ofTeam(team))
  router.add(listActiveUsers, async ({ team }) => (await users.ofTeam(team)).filter(isActive))
  router.add(pageUsers, async ({ team, query }) =>
    pageOfList(await users.ofTeam(team), byAddress, query),
  )
  router.add(pageActiveUsers, async ({ team, query }) =>
    pageOfList((await users.ofTeam(team)).filter(isActive), byAddress, query),
  )
  router.add(addTeamUsers, async ({ caller, team, body, audit }) => {
    const emails = body.map((one) => one.identifier)
    audit.target({ kind: 'team', id: team.id, name: team.name })
    audit.detail({ users: emails })
    await users.addToTeam(caller, team, emails)
    return 'Success' as const
  })
  router.add(setTeamRoles, ({ caller, team, params, body, audit }) => {
    const roles = typeof body === 'string' ? body : body.role
    return users.setTeamRoles(caller, team, { ...params, roles: [roles].flat() }, audit)
  })
  router.add(removeTeamUser, async ({ caller, team, params, audit }) => {
    await users.setTeamRoles(caller, team, { ...params, roles: [] }, audit)
    return 'Success' as const
  })
  router.add(listCompanyUsers, ({ caller, params }) => users.ofCompany(caller, params.companyId))
  router.add(pageCompanyUsers, async ({ caller, params, query }) =>
    pageOfList(await users.ofCompany(caller, params.companyId), byAddress, query),
  )
  router.add(pageCompanyUsersByState, async ({ caller, params, query }) => {
    const all = await users.ofCompany(caller, params.companyId)
    const wanted = all.filter((user) => user.state === params.state.toUpperCase())
    return pageOfList(wanted, byAddress, query)
  })
  router.add(setCompanyRoles, ({ caller, params, body, audit }) =>
    users.setCompanyRoles(caller, params, body.roles, audit),
  )
  router.add(revokeUser, async ({ caller, params, audit }) => {
    await users.setState(caller, params, 'REVOKED', audit)
    return 'Success' as const
  })
  router.add(reactivateUser, async ({ caller, params, audit }) => {
    await users.setState(caller, params, 'ACTIVE', audit)
    return 'Success' as const
  })
}
