import { callbackify } from 'node:util'
import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

const countRequest = loadScript('count-request')

/** How many requests each has made lately, as the limiter asks for it; for all controllers together. */
export function requestCounter(redis: Redis): FastifyRateLimitStoreCtor {
  const count = callbackify(async (whose: string, windowMs: number) => {
    const answer = await countRequest.run(redis, [keys.requests(whose)], [windowMs])
    const [current, ttl] = answer as [number, number]
    return { current, ttl }
  })
  return class implements FastifyRateLimitStore {
    incr: FastifyRateLimitStore['incr'] = (whose, callback, windowMs) =>
      count(whose, windowMs, callback)

    child() {
      return this
    }
  }
}
