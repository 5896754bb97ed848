import { privilegesOf } from '../../shared/roles.ts'
import { teamNotFound } from '../records/not-found.ts'
import type { Store } from '../store/store.ts'
import { findTeamIn, type Team } from '../store/teams.ts'
import type { Caller } from './access.ts'

/**
 * The caller as they are in a team of their company, by id or name. A session of one team brings no roles
 * of another: there only company roles count.
 * @throws ApiError `team_not_found`, also for teams of other companies
 */
export async function enterTeam(store: Store, caller: Caller, idOrName: string): Promise<Caller> {
  const team = await findTeam(store, caller.company.id, idOrName)
  const isOwn = caller.reach === 'company' || caller.team?.id === team.id
  const roles = isOwn ? (caller.membership.teams[team.id] ?? []) : []
  return { ...caller, team, privileges: privilegesOf(caller.membership.roles, roles) }
}

/** A team of the company. @throws ApiError `team_not_found` */
export async function findTeam(store: Store, companyId: string, idOrName: string): Promise<Team> {
  const teams = await store.companies.listTeams(companyId)
  const team = findTeamIn(teams, idOrName)
  if (!team) throw teamNotFound(idOrName)
  return team
}
