import type { AuthPreferences } from '../../shared/api/auth-preferences.ts'
import type { OwnSession, Session } from '../../shared/api/sessions.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import { privilegesOf } from '../../shared/roles.ts'
import type { Membership, Team } from '../store/companies.ts'
import type { Place } from './place.ts'
import type { TokenPair } from './tokens.ts'

/** Something that a session is good for: a team, or a company where there is none. */
export interface Organisation extends Place {
  readonly preferences: AuthPreferences
  /** The teams that its session is good for. */
  readonly listed: readonly Team[]
}

/** A session as it is answered when it is opened or renewed, with both of its tokens. */
export function sessionAnswer(
  org: Organisation,
  email: string,
  { token, renewToken }: TokenPair,
  expiresMs: number,
): Session {
  return { ...describeSession(org, email, token, expiresMs), renew_token: renewToken }
}

/** A session as its holder may see it at any time. */
export function describeSession(
  org: Place & Pick<Organisation, 'listed'>,
  email: string,
  token: string,
  expiresMs: number,
): OwnSession {
  return {
    expires_at: timestamp(expiresMs),
    header: `Bearer ${token}`,
    identifier: email,
    org_id: org.team?.id ?? org.company.id,
    org_name: org.team?.name ?? org.company.name,
    company_id: org.company.id,
    company_name: org.company.name,
    role: 'USER',
    token,
    teams: org.listed.map((team) => teamMembership(team, org.membership)),
    ...(org.team ? {} : companyRights(org.membership)),
  }
}

/** A company's own length counts where nobody can renew: there it is the time to the next password. */
export function lifeSeconds(
  { sessionSeconds }: { readonly sessionSeconds: number },
  preferences: AuthPreferences,
): number {
  if (preferences.allowSessionRenewal) return sessionSeconds
  return Math.min(sessionSeconds, preferences.sessionDuration * 60)
}

function companyRights({ roles }: Membership): Pick<Session, 'roles' | 'privileges'> {
  return { roles: [...roles], privileges: [...privilegesOf(roles, [])].sort() }
}

/** A team with the roles of its member, as sessions and `users/self` show it. */
export function teamMembership(team: Team, membership: Membership): Session['teams'][number] {
  return {
    identifier: team.id,
    name: team.name,
    company_id: team.companyId,
    roles: [...(membership.teams[team.id] ?? [])],
  }
}
