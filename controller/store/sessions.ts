import { keys } from './keys.ts'
import type { Redis } from './redis.ts'

/** How somebody signed in. */
export type SignInMethod = 'password' | 'sso'

/** What a token stands for. Roles are not in it: they are looked up at each request. */
export interface SessionRecord {
  readonly userId: string
  readonly email: string
  readonly companyId: string
  /** Absent for the session of a user without a team. */
  readonly teamId: string | undefined
  /** Since when the user had access to the company. */
  readonly sinceMs?: number | undefined
  readonly expiresMs: number
  /** Of the password with which it was opened; another one ended it. */
  readonly epoch: number
  /** A session of before this was recorded is of a password. */
  readonly amr?: SignInMethod
}

/** Sessions by the keyed hash of their token; Redis forgets them when they expire. */
export interface Sessions {
  put(tokenHash: string, session: SessionRecord): Promise<void>
  find(tokenHash: string): Promise<SessionRecord | undefined>
  remove(tokenHash: string): Promise<void>
}

/** Opens the store of sessions. */
export function openSessions(redis: Redis): Sessions {
  return {
    async put(tokenHash, session) {
      await redis.set(
        keys.session(tokenHash),
        JSON.stringify(session),
        'PXAT',
        Math.floor(session.expiresMs),
      )
    },
    async find(tokenHash) {
      const text = await redis.get(keys.session(tokenHash))
      return text === null ? undefined : (JSON.parse(text) as SessionRecord)
    },
    async remove(tokenHash) {
      await redis.del(keys.session(tokenHash))
    },
  }
}
