import { ApiError } from '../../shared/api/errors.ts'
import type { Session } from '../../shared/api/sessions.ts'
import type { SsoMethod } from '../../shared/api/sign-in-failures.ts'
import { privilegesOf, type Privilege } from '../../shared/roles.ts'
import type { ApiKeyRecord } from '../store/api-keys.ts'
import type { Company, Membership, Team } from '../store/companies.ts'
import type { SessionRecord, SignInOrigin } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { changePassword } from './change-password.ts'
import type { Seal } from './seal.ts'
import type { Claimant, LockOut } from './lock-out.ts'
import type { Passwords } from './password.ts'
import { findPlace, type Holder } from './place.ts'
import { renew, type RenewalRequest } from './renew.ts'
import { createRememberedCallers, type RememberedCallers } from './remembered-callers.ts'
import { findShown, hashShown, type FoundCredential } from './shown-credential.ts'
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
  /** Looked up earlier: storage cannot be asked now. */
  readonly isRemembered?: true
}

/** What the caller has shown. */
export type Credential =
  | { readonly kind: 'session'; readonly session: SessionRecord }
  | { readonly kind: 'key'; readonly keyId: string }

/** What somebody signs in with, and from where. */
export interface Credentials extends Claimant, SignInOrigin {
  readonly password: string
  readonly companyName: string | undefined
  /** One session of the company instead of one for each team. */
  readonly wantsCompany: boolean
}

/** What the header of a request was found to show, and when. */
export interface Shown {
  readonly found: FoundCredential | undefined
  /** Rejects as `authenticate` does. */
  readonly caller: Promise<Caller>
  /** On the clock of `performance.now()`. */
  readonly atMs: number
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
    amr: SsoMethod,
    origin: SignInOrigin,
  ): ReturnType<typeof openSsoSession>
  logout(caller: Caller): Promise<void>
  /** Begins to look up who shows this: what else a request needs can be asked meanwhile. */
  lookUp(authorization: string): Promise<Shown>
  /**
   * @param shown what the same request has shown before, if that was looked up
   * @throws ApiError `unauthenticated`
   */
  authenticate(authorization: string | undefined, shown: Shown | undefined): Promise<Caller>
  /** Who showed this lately and was let in; for what must work while storage is away. */
  remembered(authorization: string | undefined): Caller | undefined
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
export function createAccess(parts: AccessDeps): Access {
  const deps = { ...parts, callers: createRememberedCallers() }
  return {
    login: (given) => deps.lockOut.guard(given, () => login(deps, given)),
    changePassword: (caller, given) =>
      deps.lockOut.guard({ email: caller.email, address: given.address }, () =>
        changePassword(deps, caller, given),
      ),
    renew: (given) => renew(deps, given),
    openSso: (who, amr, origin) => openSsoSession(deps, who, amr, origin),
    logout: ({ credential }) => logout(deps, credential),
    lookUp: (authorization) => lookUp(deps, authorization),
    authenticate: (authorization, shown) => authenticate(deps, authorization, shown),
    remembered(authorization = '') {
      const hash = hashShown(deps.seal, authorization)
      return hash === undefined ? undefined : deps.callers.find(hash)
    },
  }
}

async function logout({ store }: AccessDeps, credential: Credential): Promise<void> {
  if (credential.kind === 'session') return await store.sessions.end(credential.session)
  throw new ApiError('forbidden', 'A key has no session to end. Revoke it: DELETE /apikeys/{id}.')
}

/** A body may come slowly: what was found longer ago is looked up again. */
const foundAtMostMs = 250

async function authenticate(
  deps: LookUpDeps,
  authorization: string | undefined,
  shown: Shown | undefined,
): Promise<Caller> {
  if (!authorization)
    throw new ApiError(
      'unauthenticated',
      'There is no Authorization header. Sign in with POST /users/auth and send the header of the session.',
    )
  const isRecent = shown && performance.now() - shown.atMs <= foundAtMostMs
  const { caller } = isRecent ? shown : await lookUp(deps, authorization)
  return await caller
}

interface LookUpDeps extends AccessDeps {
  readonly callers: RememberedCallers
}

async function lookUp(deps: LookUpDeps, authorization: string): Promise<Shown> {
  const atMs = performance.now()
  const found = await findShown(deps, authorization)
  const caller = callerOfShown(deps, found)
  const hash = hashShown(deps.seal, authorization)
  // Whether anybody asks for it is not sure.
  caller.then(
    (one) => hash && deps.callers.remember(hash, one, found?.record.expiresMs),
    (error: unknown) => hash && error instanceof ApiError && deps.callers.forget(hash),
  )
  return { found, caller, atMs }
}

async function callerOfShown(
  deps: AccessDeps,
  found: FoundCredential | undefined,
): Promise<Caller> {
  if (!found) throw invalidToken()
  if (found.kind === 'key') return await callerOfKey(deps, found.record)
  const session = found.record
  if (session.expiresMs <= Date.now()) throw invalidToken()
  const [caller, epoch] = await Promise.all([
    callerOfSession(deps.store, session),
    deps.store.users.epochOf(session.userId),
  ])
  // Another password has ended it.
  if (session.epoch !== epoch) throw invalidToken()
  noteUse(deps.store.sessions, session)
  return caller
}

/** Single sign-on opens one session for all teams: it is for the oldest unless a query names another. */
async function callerOfSession(store: Store, session: SessionRecord): Promise<Caller> {
  const usesOldestTeam = session.amr !== 'password'
  const caller = await callerOf(store, { ...session, usesOldestTeam }, { kind: 'session', session })
  return { ...caller, reach: session.teamId === undefined ? 'company' : 'team' }
}

/** Whose key this is, in its own team: rights are those that its owner has now. */
async function callerOfKey({ store }: AccessDeps, record: ApiKeyRecord): Promise<Caller> {
  const isOver = record.expiresMs !== undefined && record.expiresMs <= Date.now()
  if (record.revokedMs !== undefined || isOver) throw invalidToken()
  const { companyId, userId, email, teamId } = record
  if (!(await store.authPreferences.read(companyId)).apiKeysEnabled)
    throw new ApiError('unauthenticated', 'The company does not allow keys. Sign in instead.')
  const holder = { companyId, userId, email, teamId, usesOldestTeam: true }
  const caller = await callerOf(store, holder, { kind: 'key', keyId: record.id })
  noteUse(store.apiKeys, record)
  return { ...caller, reach: 'company' }
}

/** Once a minute is enough, and a request does not wait for it or fail with it. */
function noteUse<R extends { readonly usedMs: number | undefined }>(
  store: { markUsed(record: R, atMs: number): Promise<void> },
  record: R,
): void {
  const nowMs = Date.now()
  if (record.usedMs !== undefined && nowMs - record.usedMs < 60_000) return
  void store.markUsed(record, nowMs).catch(() => undefined)
}

/** Looks the user's place up anew, so that a change of roles acts on the next request. */
async function callerOf(
  store: Store,
  who: Holder & { readonly email: string },
  credential: Credential,
): Promise<Caller> {
  const { userId, email } = who
  const place = await findPlace(store, who)
  if (!place) throw invalidToken()
  const { team, membership } = place
  const roles = team ? (membership.teams[team.id] ?? []) : []
  return {
    ...place,
    userId,
    email,
    reach: team ? 'team' : 'company',
    credential,
    privileges: privilegesOf(membership.roles, roles),
  }
}

function invalidToken(): ApiError {
  return new ApiError(
    'unauthenticated',
    'The token is not valid, or no longer: sessions and keys expire, end at sign-out or are revoked. Sign in again.',
  )
}
