import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../shared/api/errors.ts'

/** Responses that wait for their turn; more are turned away. */
const waitingMost = 50

/** Runs work that takes the event loop for itself, bit by bit. */
export type Pace = <T>(work: () => T) => Promise<T>

/**
 * Makes a pace: one piece of work at a time, and after each as long a rest as it took. However many responses
 * come, at least half of the event loop is left for everything else.
 * @throws ApiError `too_many_logins` when too many wait already
 */
export function createPace(): Pace {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return async (work) => {
    if (waiting >= waitingMost)
      throw new ApiError('too_many_logins', 'Too many logins at once. Try again in a second.', {
        retryAfterSeconds: 1,
      })
    waiting += 1
    const before = last
    const { promise: rested, resolve: rest } = Promise.withResolvers<void>()
    last = rested
    await before
    waiting -= 1
    const since = performance.now()
    try {
      return work()
    } finally {
      void sleep(performance.now() - since).then(rest)
    }
  }
}
