import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { readSelf, type Self } from '../../../shared/api/sessions.ts'
import { isCompanyRole, isTeamRole, privilegesOf, type Privilege } from '../../../shared/roles.ts'
import type { WebApi } from './create-api.ts'

/** Who is signed in, with teams and roles as they are now. */
export function selfQuery(api: WebApi) {
  return queryOptions({
    queryKey: ['self'],
    queryFn: ({ signal }) => api.call(readSelf, { signal }),
    staleTime: 60_000,
  })
}

export type Self = Static<typeof Self>
export type MyTeam = Self['team_memberships'][number]

/** What this user may do in this team, or in the company where there is none. */
export function privilegesIn(self: Self, team: MyTeam | undefined): ReadonlySet<Privilege> {
  return privilegesOf(
    self.company_roles.filter(isCompanyRole),
    (team?.roles ?? []).filter(isTeamRole),
  )
}
