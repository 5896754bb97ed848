import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../shared/api/errors.ts'

/** Responses that wait for their turn; more are turned away. */
const waitingMost = 50
/** How often as long as the work the rest behind it is. */
const restFactor = 3
/** Shorter rests are saved up: a timer takes as long to ring. */
const leastRestMs = 15

/** Work that takes the event loop for itself, bit by bit. */
export interface Pace {
  /** @throws ApiError `too_many_logins` when too many wait already */
  admit(): void
  /** @throws ApiError as `admit`, and what the work throws */
  run<T>(work: () => T): Promise<T>
}

/**
 * Makes a pace: one piece of work at a time, with rests in between that are three times as long as its CPU. However
 * many responses come, three quarters of the event loop are left for everything else.
 */
export function createPace(): Pace {
  let waiting = 0
  let owedMs = 0
  let last: Promise<unknown> = Promise.resolve()
  const admit = () => {
    if (waiting < waitingMost) return
    throw new ApiError('too_many_logins', 'Too many logins at once. Try again in a second.', {
      retryAfterSeconds: 1,
    })
  }
  return {
    admit,
    async run(work) {
      admit()
      waiting += 1
      const before = last
      const { promise: rested, resolve: rest } = Promise.withResolvers<void>()
      last = rested
      await before
      waiting -= 1
      const since = process.threadCpuUsage()
      try {
        return work()
      } finally {
        const { user, system } = process.threadCpuUsage(since)
        owedMs += (restFactor * (user + system)) / 1000
        if (owedMs < leastRestMs) setImmediate(rest)
        else {
          void sleep(owedMs).then(rest)
          owedMs = 0
        }
      }
    },
  }
}
