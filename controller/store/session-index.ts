import { keys } from './keys.ts'
import type { Redis } from './redis.ts'

/** Whose sessions, and where. */
export interface Whose {
  readonly userId: string
  readonly companyId: string
}

interface Indexed extends Whose {
  readonly id: string
  readonly endsMs: number
}

/** Which sessions a user has in a company. Sessions may end without leaving it: whether one is there, it itself tells. */
export interface SessionIndex {
  add(session: Indexed): Promise<void>
  remove(whose: Whose, ids: readonly string[]): Promise<void>
  /** The last begun first. */
  newest(whose: Whose, limit: number): Promise<string[]>
}

const keyOf = ({ userId, companyId }: Whose) => keys.userSessions(userId, companyId)

/** Opens the index, one sorted set for each user and company. */
export function openSessionIndex(redis: Redis): SessionIndex {
  return {
    async add(session) {
      await redis.zadd(keyOf(session), session.endsMs, session.id)
    },
    async remove(whose, ids) {
      if (ids.length > 0) await redis.zrem(keyOf(whose), ...ids)
    },
    async newest(whose, limit) {
      await redis.zremrangebyscore(keyOf(whose), '-inf', Date.now())
      return await redis.zrevrange(keyOf(whose), 0, limit - 1)
    },
  }
}
