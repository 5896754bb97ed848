import { keys } from './keys.ts'
import { loadScript, redisNowMs, type Redis } from './redis.ts'

/** A controller that has not been heard of for this long does not count any more. */
const ttlMs = 60_000

/** Somebody looks every second; when nobody did for so long, no controller ran or none had its storage. */
const unwatchedAfterMs = 5_000
/** Agents try again at least every ten seconds, and then need a moment to say what has happened. */
const comeBackWithinMs = 15_000

const watchSilence = loadScript('watch-silence')

/** The hosts that controllers run on, each known by the boot id of its kernel. */
export interface Controllers {
  /** Makes the host of a controller known for a minute. */
  register(bootId: string): Promise<void>
  bootIds(): Promise<string[]>
  /**
   * Asked every second by some controller: whether the silence of a host means anything. Not after a time without
   * controllers or storage, until its agent could have come back.
   */
  doesSilenceCount(): Promise<boolean>
  /** How long ago some controller asked that last, ms by Redis' clock. */
  msSinceLook(): Promise<number>
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
    async doesSilenceCount() {
      const answer = await watchSilence.run(
        redis,
        [keys.silence],
        [unwatchedAfterMs, comeBackWithinMs],
      )
      return answer === 1
    },
    async msSinceLook() {
      const lookedMs = await redis.hget(keys.silence, 'looked_ms')
      // A clock that was set back leaves a look that is to come.
      return Math.abs((await redisNowMs(redis, keys.silence)) - Number(lookedMs))
    },
  }
}
