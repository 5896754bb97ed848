import type { Holder } from '../../../shared/role-rules.ts'
import { isCompanyRole, isTeamRole, type Privilege } from '../../../shared/roles.ts'
import { privilegesIn, type Self } from '../api/self.ts'
import { useMe } from './me.tsx'

/** What whoever looks at the page holds. */
export interface MyPlace {
  readonly holder: Holder
  /** Whether they may, in the team that was named. */
  readonly can: (privilege: Privilege) => boolean
}

/** What whoever looks at the page may do in a team, whether they are in it or not. */
export function usePlace(teamId: string | undefined): MyPlace {
  const { self, teams } = useMe()
  const privileges = privilegesIn(
    self,
    teams.find(({ identifier }) => identifier === teamId),
  )
  return { holder: holderOf(self.company_roles, self), can: (one) => privileges.has(one) }
}

/** What somebody holds, as the rules of roles ask for it. */
export function holderOf(
  companyRoles: readonly string[],
  { team_memberships }: Pick<Self, 'team_memberships'>,
): Holder {
  return {
    roles: companyRoles.filter(isCompanyRole),
    teams: Object.fromEntries(
      team_memberships.map(({ identifier, roles }) => [identifier, roles.filter(isTeamRole)]),
    ),
  }
}
