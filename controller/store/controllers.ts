import { keys } from './keys.ts'
import { redisNowMs, type Redis } from './redis.ts'

/** A controller that has not been heard of for this long does not count any more. */
const ttlMs = 60_000

/** The hosts that controllers run on, each known by the boot id of its kernel. */
export interface Controllers {
  /** Makes the host of a controller known for a minute. */
  register(bootId: string): Promise<void>
  bootIds(): Promise<string[]>
}

/** Opens the store of controllers. */
export function openControllers(redis: Redis): Controllers {
  return {
    async register(bootId) {
      const nowMs = await redisNowMs(redis, keys.controllers)
      await redis
        .multi()
        .zremrangebyscore(keys.controllers, '-inf', nowMs)
        .zadd(keys.controllers, nowMs + ttlMs, bootId)
        .exec()
    },
    bootIds: async () =>
      await redis.zrangebyscore(
        keys.controllers,
        await redisNowMs(redis, keys.controllers),
        '+inf',
      ),
  }
}
