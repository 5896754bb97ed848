import { ApiError } from '../../shared/api/errors.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { privilegesOf, type Privilege } from '../../shared/roles.ts'
import type { ApiKeyRecord } from '../store/api-keys.ts'
import type { Company, Membership, Team } from '../store/companies.ts'
import type { SessionRecord } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { changePassword } from './change-password.ts'
import type { Seal } from './seal.ts'
import type { Claimant, LockOut } from './lock-out.ts'
import type { Passwords } from './password.ts'
import { findPlace, type Holder } from './place.ts'
import { renew, type RenewalRequest } from './renew.ts'
import { shownIn } from './shown-credential.ts'
import { login } from './sign-in.ts'
import { openSsoSession } from './sso-session.ts'

/** Who makes a request, and what they may do now. */
export interface Caller {
  readonly userId: string
  readonly email: string
  readonly company: Company
  /** Absent for a session of the company. */
  readonly team: Team | undefined
  readonly membership: Membership
  readonly privileges: ReadonlySet<Privilege>
  /** `company`: a query may name any team of the user; `team`: no other than `team`. */
  readonly reach: 'team' | 'company'
  readonly credential: Credential
}

/** What the caller has shown. */
export type Credential =
  | { readonly kind: 'session'; readonly session: SessionRecord }
  | { readonly kind: 'key'; readonly keyId: string }

/** What somebody signs in with, and from where. */
export interface Credentials extends Claimant {
  readonly password: string
  readonly companyName: string | undefined
  /** One session of the company instead of one for each team. */
  readonly wantsCompany: boolean
}

/** Signs users in and out and tells who holds a token. */
export interface Access {
  /** @throws ApiError `invalid_credentials`, the same for a wrong user, password or company; `locked_out` */
  login(given: Credentials): Promise<Session | Session[]>
  /**
   * Ends all other sessions of the user.
   * @throws ApiError `invalid_credentials`, `locked_out`, `method_disabled`; `forbidden` for a key
   */
  changePassword(
    caller: Caller,
    given: { currentPassword: string; newPassword: string; address: string },
  ): Promise<void>
  /** @throws ApiError `unauthenticated`, the same for whatever does not fit together */
  renew(given: RenewalRequest): Promise<Session>
  /** Undefined when the user has no access to the company. */
  openSso(
    who: { readonly email: string; readonly companyId: string },
    amr: 'saml',
  ): ReturnType<typeof openSsoSession>
  logout(caller: Caller): Promise<void>
  /** @throws ApiError `unauthenticated` */
  authenticate(authorization: string | undefined): Promise<Caller>
}

export interface AccessDeps {
  readonly store: Store
  readonly seal: Seal
  readonly passwords: Passwords
  readonly lockOut: LockOut
  /** How long a token lasts. */
  readonly sessionSeconds: number
  /** How long after the sign-in a session may be renewed. */
  readonly renewalSeconds: number
}

/** Makes the gate of the API. */
export function createAccess(deps: AccessDeps): Access {
  return {
    login: (given) => deps.lockOut.guard(given, () => login(deps, given)),
    changePassword: (caller, given) =>
      deps.lockOut.guard({ email: caller.email, address: given.address }, () =>
        changePassword(deps, caller, given),
      ),
    renew: (given) => renew(deps, given),
    openSso: (who, amr) => openSsoSession(deps, who, amr),
    logout: ({ credential }) => logout(deps, credential),
    authenticate: (authorization) => authenticate(deps, authorization),
  }
}

async function logout({ store }: AccessDeps, credential: Credential): Promise<void> {
  if (credential.kind === 'session') return await store.sessions.end(credential.session.id)
  throw new ApiError('forbidden', 'A key has no session to end. Revoke it: DELETE /apikeys/{id}.')
}

async function authenticate(deps: AccessDeps, authorization: string | undefined): Promise<Caller> {
  if (!authorization)
    throw new ApiError(
      'unauthenticated',
      'There is no Authorization header. Sign in with POST /users/auth and send the header of the session.',
    )
  const shown = shownIn(authorization)
  if (!shown) throw invalidToken()
  if (shown.kind === 'key') return await callerOfKey(deps, shown.token)
  const session = await deps.store.sessions.find(deps.seal.hashToken(shown.token))
  if (!session || session.expiresMs <= Date.now()) throw invalidToken()
  const [caller, epoch] = await Promise.all([
    callerOfSession(deps.store, session),
    deps.store.users.epochOf(session.userId),
  ])
  // Another password has ended it.
  if (session.epoch !== epoch) throw invalidToken()
  return caller
}

/** Single sign-on opens one session for all teams: it is for the oldest unless a query names another. */
async function callerOfSession(store: Store, session: SessionRecord): Promise<Caller> {
  const { companyId, userId, amr } = session
  const isOfTeam = session.teamId !== undefined
  const teamId =
    isOfTeam || amr === 'password' ? session.teamId : await oldestTeam(store, companyId, userId)
  const caller = await callerOf(store, { ...session, teamId }, { kind: 'session', session })
  return { ...caller, reach: isOfTeam ? 'team' : 'company' }
}

/** Whose key this is, in its own team: rights are those that its owner has now. */
async function callerOfKey({ store, seal }: AccessDeps, key: string): Promise<Caller> {
  const record = await store.apiKeys.find(seal.hashToken(key))
  const isOver = record?.expiresMs !== undefined && record.expiresMs <= Date.now()
  if (!record || record.revokedMs !== undefined || isOver) throw invalidToken()
  const { companyId, userId, email } = record
  if (!(await store.authPreferences.read(companyId)).apiKeysEnabled)
    throw new ApiError('unauthenticated', 'The company does not allow keys. Sign in instead.')
  const teamId = record.teamId ?? (await oldestTeam(store, companyId, userId))
  const credential = { kind: 'key', keyId: record.id } as const
  const caller = await callerOf(store, { companyId, userId, email, teamId }, credential)
  noteUse(store, record)
  return { ...caller, reach: 'company' }
}

async function oldestTeam(store: Store, companyId: string, userId: string) {
  const membership = await store.companies.readMembership(companyId, userId)
  const teams = membership ? await store.companies.listTeams(companyId) : []
  return teams.find((team) => membership?.teams[team.id])?.id
}

/** Once a minute is enough, and a request does not wait for it or fail with it. */
function noteUse(store: Store, record: ApiKeyRecord): void {
  const nowMs = Date.now()
  if (record.usedMs !== undefined && nowMs - record.usedMs < 60_000) return
  void store.apiKeys.markUsed(record, nowMs).catch(() => undefined)
}

/** Looks the user's place up anew, so that a change of roles acts on the next request. */
async function callerOf(
  store: Store,
  who: Holder & { readonly email: string },
  credential: Credential,
): Promise<Caller> {
  const { teamId, userId, email } = who
  const place = await findPlace(store, who)
  if (!place) throw invalidToken()
  const roles = teamId === undefined ? [] : (place.membership.teams[teamId] ?? [])
  return {
    ...place,
    userId,
    email,
    reach: teamId === undefined ? 'company' : 'team',
    credential,
    privileges: privilegesOf(place.membership.roles, roles),
  }
}

function invalidToken(): ApiError {
  return new ApiError(
    'unauthenticated',
    'The token is not valid, or no longer: sessions and keys expire, end at sign-out or are revoked. Sign in again.',
  )
}
