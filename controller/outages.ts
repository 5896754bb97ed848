import type { Logger } from 'pino'
import { saidBy } from './store/storage-away.ts'
import type { Redis } from './store/redis.ts'

/** Says in the log once that storage is away, and once that it is back. */
export interface Outages {
  away(why: string): void
  back(): void
  /** From now on the connection itself tells. */
  watch(redis: Redis): void
}

export function createOutages(logger: Logger): Outages {
  let isAway = false
  const away = (why: string) => {
    if (isAway) return
    isAway = true
    logger.warn({ why }, 'Redis is away: what needs it is answered with 503 until it is back')
  }
  const back = () => {
    if (isAway) logger.info('Redis is there again')
    isAway = false
  }
  return {
    away,
    back,
    watch(redis) {
      redis.on('error', (error: unknown) => away(saidBy(error)))
      redis.on('ready', back)
    },
  }
}
