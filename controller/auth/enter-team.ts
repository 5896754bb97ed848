import { ApiError } from '../../shared/api/errors.ts'
import { privilegesOf } from '../../shared/roles.ts'
import type { Team } from '../store/companies.ts'
import type { Store } from '../store/store.ts'
import type { Caller } from './access.ts'

/**
 * The caller as they are in a team of their company, by id or name. A session of one team brings no roles
 * of another: there only company roles count.
 * @throws ApiError `team_not_found`, also for teams of other companies
 */
export async function enterTeam(store: Store, caller: Caller, idOrName: string): Promise<Caller> {
  const team = await findTeam(store, caller.company.id, idOrName)
  const isOwn = caller.team === undefined || caller.team.id === team.id
  const roles = isOwn ? (caller.membership.teams[team.id] ?? []) : []
  return { ...caller, team, privileges: privilegesOf(caller.membership.roles, roles) }
}

async function findTeam(store: Store, companyId: string, idOrName: string): Promise<Team> {
  const teams = await store.companies.listTeams(companyId)
  const wanted = idOrName.trim().toLowerCase()
  // An id wins: nobody hides a team behind another's name.
  const team =
    teams.find(({ id }) => id === wanted) ??
    teams.find(({ name }) => name.trim().toLowerCase() === wanted)
  if (team) return team
  const value = idOrName.slice(0, 100)
  throw new ApiError(
    'team_not_found',
    `The company has no team ${value}. GET /teams lists those there are.`,
    { details: { field: 'team', value } },
  )
}
