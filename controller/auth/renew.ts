import type { AuthPreferences } from '../../shared/api/auth-preferences.ts'
import { ApiError } from '../../shared/api/errors.ts'
import type { Session } from '../../shared/api/sessions.ts'
import type { SessionRecord } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { emailKey } from '../store/users.ts'
import type { AccessDeps } from './access.ts'
import { findPlace } from './place.ts'
import { allowsPasswords, allowsSso } from './methods.ts'
import { lifeSeconds, sessionAnswer, type Organisation } from './session-answer.ts'
import { derivedTokens, freshTokens, hashesOf } from './tokens.ts'

/** What somebody renews a session with. Which organisation it is for is said as clients of each age do. */
export interface RenewalRequest {
  readonly email: string
  readonly renewToken: string
  readonly companyId?: string | undefined
  /** Of the session; in one of the company it says nothing. */
  readonly teamId?: string | null | undefined
  /** The team, or the company of its session. */
  readonly orgId?: string | undefined
  /** With it the same request gets the same answer for ten seconds. */
  readonly idempotencyKey?: string | undefined
}

/**
 * Opens the next session for a renew token, which is used up; one that was used up before ends the session.
 * Everything that a sign-in looks at is looked at again, but the password.
 * @throws ApiError `unauthenticated`
 */
export async function renew(deps: AccessDeps, given: RenewalRequest): Promise<Session> {
  const { store, seal } = deps
  const renewHash = seal.hashToken(given.renewToken)
  const session = await store.sessions.findByRenewal(renewHash)
  if (!session) throw invalid('unknown_renew_token')
  if (!isFor(session, given)) throw invalid('wrong_organisation')
  const organisation = await enterAnew(store, session)
  const tokens = given.idempotencyKey
    ? derivedTokens(seal, given.renewToken, given.idempotencyKey)
    : freshTokens()
  const wantedMs = Date.now() + lifeSeconds(deps, organisation.preferences) * 1000
  const next = { ...hashesOf(seal, tokens), expiresMs: Math.min(wantedMs, session.endsMs) }
  const renewal = await store.sessions.renew(session, renewHash, next)
  if (renewal.kind !== 'renewed')
    throw invalid(renewal.kind === 'reused' ? 'renew_token_reused' : 'unknown_renew_token')
  return sessionAnswer(organisation, session.email, tokens, renewal.expiresMs)
}

/** What the session is for, as it is now; a session that could not be opened now is ended. */
async function enterAnew(store: Store, session: SessionRecord): Promise<Organisation> {
  const [place, epoch, preferences, teams] = await Promise.all([
    findPlace(store, session),
    store.users.epochOf(session.userId),
    store.authPreferences.read(session.companyId),
    store.companies.listTeams(session.companyId),
  ])
  const isOver = session.epoch !== epoch || session.endsMs <= Date.now()
  const why = isOver || !place ? 'no_access' : methodTrouble(session, preferences)
  if (!place || why !== undefined) {
    await store.sessions.end(session)
    throw invalid(why ?? 'no_access')
  }
  if (!preferences.allowSessionRenewal)
    throw new ApiError(
      'unauthenticated',
      'The company has no renewal of sessions. Sign in again.',
      {
        why: 'no_renewal',
      },
    )
  const listed = place.team ? [place.team] : teams.filter(({ id }) => place.membership.teams[id])
  return { ...place, preferences, listed }
}

/** Why the company would not open this session now. */
function methodTrouble(
  { amr, hasSecondFactor }: SessionRecord,
  preferences: AuthPreferences,
): string | undefined {
  // Who gives identities asks for second factors itself.
  if (amr !== 'password') return allowsSso(preferences, amr) ? undefined : 'method_disabled'
  if (!allowsPasswords(preferences)) return 'method_disabled'
  return preferences.mfaRequired && !hasSecondFactor ? 'mfa_required' : undefined
}

/** Whether all that is said fits; what was left empty says nothing. */
function isFor(session: SessionRecord, { email, companyId, teamId, orgId }: RenewalRequest) {
  const { companyId: company, teamId: team } = session
  return (
    emailKey(email) === emailKey(session.email) &&
    (!companyId || companyId === company) &&
    (!orgId || orgId === (team ?? company)) &&
    (!teamId || !team || teamId === team)
  )
}

/** `why` is for the audit alone. */
function invalid(why: string): ApiError {
  return new ApiError(
    'unauthenticated',
    'Email, organisation and renew_token do not belong together, or the session is over: a renew_token is good once. Sign in again.',
    { why },
  )
}
