import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

/** How many failed tries count at once, and for how long each does. */
export interface AttemptLimit {
  readonly most: number
  readonly windowMs: number
}

/** What became of asking for a try. */
export type Taken =
  | { readonly kind: 'ok' }
  /** Others of the same user or address are being checked right now. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'locked'; readonly waitMs: number }

/** Tries to sign in, by user or address; what names them is hashed by the caller. */
export interface Attempts {
  /** Counts a try, unless too many count already. Atomic. */
  take(subject: string, id: string, limit: AttemptLimit): Promise<Taken>
  /** The try was wrong: it counts from now. */
  fail(subject: string, id: string, limit: AttemptLimit): Promise<void>
  /** The try was not a wrong one. */
  giveBack(subject: string, id: string): Promise<void>
  /** Forgets all tries of a user or address. */
  forget(subject: string): Promise<void>
}

/** A check that has not ended after this counts as a failed one: its controller is gone. */
const checkWithinMs = 30_000

const takeAttempt = loadScript('take-attempt')
const settleAttempt = loadScript('settle-attempt')

/** Opens the store of tries to sign in. */
export function openAttempts(redis: Redis): Attempts {
  const settle = async (subject: string, ...args: (string | number)[]) => {
    await settleAttempt.run(redis, [keys.attempts(subject)], args)
  }
  return {
    async take(subject, id, { most, windowMs }) {
      const args = [id, most, windowMs, checkWithinMs]
      const answer = await takeAttempt.run(redis, [keys.attempts(subject)], args)
      const [kind, waitMs] = answer as [Taken['kind'], number?]
      return kind === 'locked' ? { kind, waitMs: Number(waitMs) } : { kind }
    },
    fail: (subject, id, { windowMs }) => settle(subject, id, 'fail', windowMs),
    giveBack: (subject, id) => settle(subject, id, 'give_back'),
    forget: (subject) => settle(subject, '', 'forget'),
  }
}
