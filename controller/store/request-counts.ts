import { callbackify } from 'node:util'
import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

const countRequest = loadScript('count-request')

/** What was counted here is told to Redis, and heard from there, this often at the latest. */
const tellMs = 1_000
/** So many requesters are counted here; more are counted by Redis alone. */
const mostKnown = 10_000

/** How many requests somebody has made in this window, as far as is known here. */
interface Count {
  current: number
  /** Of these Redis has not been told yet. */
  untold: number
  /** On the clock of `performance.now()`. */
  readonly untilMs: number
}

/**
 * How many requests each has made lately, as the limiter asks for it; for all controllers together. Who has made few
 * is counted here first, so that no request waits for it; from half of what is allowed on each is counted by Redis.
 */
export function requestCounter(redis: Redis): FastifyRateLimitStoreCtor {
  const known = new Map<string, Count>()
  const tell = async (whose: string, count: number, windowMs: number): Promise<Count> => {
    const answer = await countRequest.run(redis, [keys.requests(whose)], [windowMs, count])
    const [current, ttl] = answer as [number, number]
    const untold = known.get(whose)?.untold ?? 0
    const now = { current: current + untold, untold, untilMs: performance.now() + ttl }
    if (known.has(whose) || known.size < mostKnown) known.set(whose, now)
    return now
  }
  let timer: NodeJS.Timeout | undefined
  const tellAll = (windowMs: number): void => {
    timer = undefined
    for (const [whose, one] of known) {
      const count = takeUntold(one)
      if (one.untilMs <= performance.now()) known.delete(whose)
      // A limiter that cannot count does not close the API.
      else if (count > 0) void tell(whose, count, windowMs).catch(() => undefined)
    }
  }
  const ask = callbackify(async (whose: string, windowMs: number) => {
    const before = known.get(whose)
    const { current, untilMs } = await tell(whose, 1 + (before ? takeUntold(before) : 0), windowMs)
    return { current, ttl: Math.max(0, untilMs - performance.now()) }
  })
  return class implements FastifyRateLimitStore {
    incr: FastifyRateLimitStore['incr'] = (whose, callback, windowMs, max) => {
      const one = known.get(whose)
      const leftMs = one ? one.untilMs - performance.now() : 0
      if (!one || leftMs <= 0 || one.current >= max / 2) return ask(whose, windowMs, callback)
      one.current += 1
      one.untold += 1
      timer ??= setTimeout(() => tellAll(windowMs), tellMs).unref()
      callback(null, { current: one.current, ttl: leftMs })
    }

    child() {
      return this
    }
  }
}

function takeUntold(one: Count): number {
  const count = one.untold
  one.untold = 0
  return count
}
