import { useQuery } from '@tanstack/react-query'
import type { User } from '../../../../shared/api/users.ts'
import { companyUsersQuery, teamUsersQuery } from '../../api/company.ts'
import { useApp } from '../../app-context.ts'
import { useMe } from '../../shell/me.tsx'
import { usePlace } from '../../shell/use-place.ts'

/** The people of a team: as it shows them to its own, or from the list of the company. */
export function useMembers(teamId: string) {
  const { api } = useApp()
  const { self, can: canAnywhere } = useMe()
  const { can } = usePlace(teamId)
  const isOwn = can('USERS_READ')
  const mayRead = isOwn || canAnywhere('COMPANY_USERS_READ')
  const ofTeam = useQuery({ ...teamUsersQuery(api, teamId), enabled: isOwn })
  const ofCompany = useQuery({
    ...companyUsersQuery(api, self.company_id),
    enabled: canAnywhere('COMPANY_USERS_READ'),
  })
  const isIn = (user: User) => user.team_memberships.some((one) => one.identifier === teamId)
  const query = isOwn ? ofTeam : ofCompany
  const others = ofCompany.data?.filter((user) => user.state === 'ACTIVE' && !isIn(user)) ?? []
  return {
    mayRead,
    query,
    members: query.data?.filter(isIn) ?? [],
    /** Who could be added, as far as one may know. */
    others: others.map(({ identifier }) => identifier),
  }
}
