import { randomUUID } from 'node:crypto'
import type { SsoMethod } from '../../shared/api/sign-in-failures.ts'
import { keys } from './keys.ts'
import { answersOf, loadScript, type Redis } from './redis.ts'
import { openSessionIndex, type Whose } from './session-index.ts'

/** How somebody signed in. */
export type SignInMethod = 'password' | SsoMethod

/** From where somebody signs in, and with what. */
export interface SignInOrigin {
  readonly address: string
  /** As the client says. */
  readonly userAgent: string | undefined
}

/** Whose session it is and what for. Roles are not in it: they are looked up at each request. */
export interface NewSession {
  readonly userId: string
  readonly email: string
  readonly companyId: string
  /** Absent for the session of a user without a team. */
  readonly teamId: string | undefined
  /** Since when the user had access to the company. */
  readonly sinceMs?: number | undefined
  /** Of the password with which it was opened; another one ended it. */
  readonly epoch: number
  readonly amr: SignInMethod
  /** A code was shown besides the password. */
  readonly hasSecondFactor: boolean
  /** Until when it may be renewed. */
  readonly endsMs: number
  /** This and the next are absent in sessions of older versions. */
  readonly createdMs?: number
  readonly origin?: SignInOrigin
}

/** A session: from one sign-in to its end, whatever tokens it had meanwhile. */
export interface SessionRecord extends NewSession {
  readonly id: string
  /** When its present token expires. */
  readonly expiresMs: number
  /** When it was used last, within a minute. */
  readonly usedMs: number | undefined
}

/** The keyed hashes of the two tokens that a session has at a time. */
export interface TokenHashes {
  readonly tokenHash: string
  readonly renewHash: string
  readonly expiresMs: number
}

/** What became of a renewal. */
export type Renewal =
  | { readonly kind: 'renewed'; readonly expiresMs: number }
  /** The renew token was used before: the session has ended. */
  | { readonly kind: 'reused' }
  /** Somebody ended the session meanwhile. */
  | { readonly kind: 'gone' }

/** Sessions, found by the keyed hashes of their tokens; Redis forgets them when they end. */
export interface Sessions {
  open(session: NewSession, tokens: TokenHashes): Promise<void>
  /** Whose present token this is. */
  find(tokenHash: string): Promise<SessionRecord | undefined>
  /** Whose renew token this is or was. */
  findByRenewal(renewHash: string): Promise<SessionRecord | undefined>
  /**
   * Uses up a renew token: the session has the next pair from now on, and no other. One that was used up
   * already ends the session, unless `next` is the pair that it was given for, within ten seconds.
   */
  renew(session: SessionRecord, renewHash: string, next: TokenHashes): Promise<Renewal>
  /** Keeps a session whose user has a new password. */
  setEpoch(session: SessionRecord, epoch: number): Promise<void>
  /** Notes a use, unless the session has ended meanwhile or somebody else noted one. */
  markUsed(session: SessionRecord, atMs: number): Promise<void>
  /** By its own id, which opens nothing. */
  read(sessionId: string): Promise<SessionRecord | undefined>
  /** Those of a user in a company that nobody has ended, the last begun first. */
  list(whose: Whose, limit: number): Promise<SessionRecord[]>
  end(session: SessionRecord): Promise<void>
}

/** How long an answer that was lost may be asked for again. */
const retryMs = 10_000

const renewSession = loadScript('renew-session')
const replaceField = loadScript('replace-field')

/** Opens the store of sessions. */
export function openSessions(redis: Redis): Sessions {
  const index = openSessionIndex(redis)
  const { readById, read, pointTo } = waysTo(redis)
  return {
    async open({ epoch, ...facts }, { tokenHash, renewHash, expiresMs }) {
      const id = randomUUID()
      const used = facts.createdMs === undefined ? {} : { usedMs: facts.createdMs }
      const fields = { token: tokenHash, renew: renewHash, expiresMs, epoch, ...used }
      const opened = redis
        .multi()
        .hset(keys.session(id), { ...fields, facts: JSON.stringify(facts) })
        .pexpireat(keys.session(id), facts.endsMs)
      // Nobody knows the tokens yet, so that their order does not matter.
      const ways = pointTo(id, facts.endsMs, { tokenHash, renewHash, expiresMs })
      await Promise.all([ways, answersOf(opened)])
      // Last: what is listed and not there is taken out of the list.
      await index.add({ ...facts, id })
    },
    async find(tokenHash) {
      const found = await read(keys.sessionToken(tokenHash))
      return found?.token === tokenHash ? found.record : undefined
    },
    findByRenewal: async (renewHash) => (await read(keys.renewToken(renewHash)))?.record,
    async renew(session, renewHash, next) {
      const { id, endsMs } = session
      // Those of older versions are not in the list yet.
      await Promise.all([pointTo(id, endsMs, next), index.add(session)])
      const args = [renewHash, next.tokenHash, next.renewHash, next.expiresMs, retryMs]
      const answer = await renewSession.run(redis, [keys.session(id)], args)
      const [kind, expiresMs] = answer as [Renewal['kind'], number?]
      return kind === 'renewed' ? { kind, expiresMs: Number(expiresMs) } : { kind }
    },
    async setEpoch({ id, epoch }, next) {
      await replaceField.run(redis, [keys.session(id)], ['epoch', epoch, next])
    },
    async markUsed({ id, usedMs }, atMs) {
      if (usedMs === undefined) return
      await replaceField.run(redis, [keys.session(id)], ['usedMs', usedMs, atMs])
    },
    read: async (sessionId) => (await readById(sessionId))?.record,
    async list(whose, limit) {
      const ids = await index.newest(whose, limit)
      const found = await Promise.all(ids.map((id) => readById(id)))
      await index.remove(
        whose,
        ids.filter((_, at) => found[at] === undefined),
      )
      return found.flatMap((one) => (one ? [one.record] : []))
    },
    async end(session) {
      await redis.del(keys.session(session.id))
      await index.remove(session, [session.id])
    },
  }
}

/** How sessions are found. */
function waysTo(redis: Redis) {
  const readById = async (id: string) => {
    const fields = await redis.hgetall(keys.session(id))
    return fields['facts'] ? { token: fields['token'], record: toRecord(id, fields) } : undefined
  }
  const read = async (pointer: string) => {
    const id = await redis.get(pointer)
    return id === null ? undefined : await readById(id)
  }
  /** First the ways to it: one that leads to a session with other tokens leads nowhere. */
  const pointTo = async (id: string, endsMs: number, next: TokenHashes) => {
    await Promise.all([
      redis.set(keys.sessionToken(next.tokenHash), id, 'PXAT', next.expiresMs),
      redis.set(keys.renewToken(next.renewHash), id, 'PXAT', endsMs),
    ])
  }
  return { readById, read, pointTo }
}

function toRecord(id: string, fields: Record<string, string>): SessionRecord {
  const facts = JSON.parse(fields['facts'] ?? '{}') as Omit<NewSession, 'epoch'>
  const { epoch, expiresMs, usedMs } = fields
  return {
    ...facts,
    id,
    epoch: Number(epoch),
    expiresMs: Number(expiresMs),
    usedMs: usedMs === undefined ? undefined : Number(usedMs),
  }
}
