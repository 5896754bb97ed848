import type { Company, Membership, Team } from '../store/companies.ts'
import type { Store } from '../store/store.ts'

/** Whom a session or key is of, and what for. */
export interface Holder {
  readonly userId: string
  readonly companyId: string
  /** Absent for what is of the company. */
  readonly teamId: string | undefined
  /** Without a team they act in the oldest of theirs, if there is one. */
  readonly usesOldestTeam?: boolean
  /** Since when the user had access to the company. */
  readonly sinceMs?: number | undefined
}

/** What somebody is, now. */
export interface Place {
  readonly company: Company
  readonly membership: Membership
  readonly team: Team | undefined
}

/** What the holder is in company and team now; undefined when they have left either since, or were revoked. */
export async function findPlace(store: Store, who: Holder): Promise<Place | undefined> {
  const { companyId, teamId, userId } = who
  const [company, membership, teams] = await Promise.all([
    store.companies.readCompany(companyId),
    store.companies.readMembership(companyId, userId),
    teamsFor(store, who),
  ])
  if (!company || !membership) return undefined
  // A user who was revoked and came back signs in anew.
  if (who.sinceMs !== undefined && who.sinceMs !== membership.sinceMs) return undefined
  const team = teams.find(({ id }) => membership.teams[id])
  const isOut = teamId !== undefined && !team
  return isOut ? undefined : { company, membership, team }
}

/** The team that it may be, or all where it is the oldest that fits. */
async function teamsFor(store: Store, who: Holder): Promise<readonly Team[]> {
  const { companyId, teamId, usesOldestTeam } = who
  if (teamId === undefined) return usesOldestTeam ? await store.companies.listTeams(companyId) : []
  const team = await store.companies.readTeam(companyId, teamId)
  return team ? [team] : []
}
