import { ApiError } from '../../../shared/api/errors.ts'
import { listedSessionsLimit, type SessionEntry } from '../../../shared/api/own-sessions.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import type { Caller } from '../../auth/access.ts'
import { isId } from '../../store/keys.ts'
import type { SessionRecord } from '../../store/sessions.ts'
import type { Store } from '../../store/store.ts'

/**
 * The sessions of the caller in the company of this one: who was let in by one company is nobody in another.
 * @throws ApiError `forbidden` for a key
 */
export async function listOwn(store: Store, caller: Caller): Promise<SessionEntry[]> {
  const current = presentOf(caller)
  const [listed, epoch, { allowSessionRenewal }] = await Promise.all([
    store.sessions.list(current, listedSessionsLimit),
    store.users.epochOf(current.userId),
    store.authPreferences.read(current.companyId),
  ])
  const { sinceMs, teams } = caller.membership
  const nowMs = Date.now()
  // What is looked at when a session is used or renewed: many are over without anybody having ended them.
  const others = listed.filter((one) => {
    const isTheirs = one.epoch === epoch && (one.sinceMs ?? sinceMs) === sinceMs
    const isIn = one.teamId === undefined || teams[one.teamId] !== undefined
    const mayLive = one.expiresMs > nowMs || (allowSessionRenewal && one.endsMs > nowMs)
    return one.id !== current.id && isTheirs && isIn && mayLive
  })
  return [current, ...others]
    .toSorted((a, b) => b.endsMs - a.endsMs)
    .map((one) => toSessionEntry(one, one.id === current.id))
}

/** @throws ApiError `session_not_found`, also for what is somebody else's; `forbidden` for a key */
export async function endOwn(
  store: Store,
  caller: Caller,
  sessionId: string,
): Promise<SessionRecord> {
  const { userId, companyId } = presentOf(caller)
  const session = isId(sessionId) ? await store.sessions.read(sessionId) : undefined
  if (session?.userId !== userId || session.companyId !== companyId)
    throw new ApiError(
      'session_not_found',
      'You have no session with this sessionId in the company, or it is over. GET /users/self/sessions lists those there are.',
      { details: { field: 'sessionId' } },
    )
  await store.sessions.end(session)
  return session
}

/** Ends all but the present one; gives how many. @throws ApiError `forbidden` for a key */
export async function endOthers(store: Store, caller: Caller): Promise<number> {
  const current = presentOf(caller)
  let ended = 0
  for (;;) {
    const listed = await store.sessions.list(current, listedSessionsLimit)
    const others = listed.filter(({ id }) => id !== current.id)
    if (others.length === 0) return ended
    await Promise.all(others.map((one) => store.sessions.end(one)))
    ended += others.length
  }
}

function presentOf({ credential }: Caller): SessionRecord {
  if (credential.kind === 'session') return credential.session
  throw new ApiError('forbidden', 'A key neither lists sessions nor ends them. Sign in for that.')
}

const at = (ms: number | undefined) => (ms === undefined ? null : timestamp(ms))

/** A session as the API shows it. */
function toSessionEntry(record: SessionRecord, isCurrent: boolean): SessionEntry {
  const { id, amr, hasSecondFactor, teamId, createdMs, usedMs, expiresMs, endsMs, origin } = record
  return {
    id,
    current: isCurrent,
    method: amr,
    second_factor: hasSecondFactor,
    org_id: teamId ?? null,
    created_at: at(createdMs),
    last_used_at: at(usedMs),
    expires_at: timestamp(expiresMs),
    ends_at: timestamp(endsMs),
    address: origin?.address ?? null,
    user_agent: origin?.userAgent ?? null,
  }
}

/** What the audit calls it: never by a token. */
export function nameOf({ origin, createdMs }: SessionRecord): string {
  const since = createdMs === undefined ? 'of an older version' : `of ${timestamp(createdMs)}`
  return origin ? `${since} from ${origin.address}` : since
}
