import type { Company, Membership, Team } from '../store/companies.ts'
import type { Store } from '../store/store.ts'

/** Whom a session or key is of, and what for. */
export interface Holder {
  readonly userId: string
  readonly companyId: string
  /** Absent for what is of the company. */
  readonly teamId: string | undefined
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
  const [company, membership, team] = await Promise.all([
    store.companies.readCompany(companyId),
    store.companies.readMembership(companyId, userId),
    teamId === undefined ? undefined : store.companies.readTeam(companyId, teamId),
  ])
  if (!company || !membership) return undefined
  // A user who was revoked and came back signs in anew.
  if (who.sinceMs !== undefined && who.sinceMs !== membership.sinceMs) return undefined
  const isOut = teamId !== undefined && !(team && membership.teams[teamId])
  return isOut ? undefined : { company, membership, team }
}
