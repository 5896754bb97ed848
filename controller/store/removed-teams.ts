import { keys } from './keys.ts'
import { redisNowMs, serversOf, type Redis } from './redis.ts'

/** So many names are looked at by one command, and as many keys removed: less than a millisecond of Redis. */
const atOnce = 500

/** Teams whose data are still to be removed. */
export interface RemovedTeams {
  /** Teams that were removed so long ago at least, the first one first. */
  list(olderThanMs: number): Promise<string[]>
  /**
   * Removes what is kept of a team, step by step; who is stopped in between may begin again. `pause` is awaited after
   * each step. The team is listed until nothing of it was found.
   * @returns how many keys were removed
   */
  erase(teamId: string, pause: () => Promise<unknown>): Promise<number>
}

/** Opens the list of removed teams. */
export function openRemovedTeams(redis: Redis): RemovedTeams {
  return {
    async list(olderThanMs) {
      const now = await redisNowMs(redis, keys.removedTeams)
      return await redis.zrange(keys.removedTeams, '-inf', String(now - olderThanMs), 'BYSCORE')
    },
    async erase(teamId, pause) {
      const companyId = await redis.hget(keys.teamCompanies, teamId)
      // Whoever removed it was stopped before it was done: the team is still there.
      if (companyId !== null && (await redis.hexists(keys.companyTeams(companyId), teamId)) === 1)
        return 0
      let removed = 0
      for (const server of await serversOf(redis))
        removed += await eraseOn(redis, server, teamId, pause)
      await redis.hdel(keys.teamCompanies, teamId)
      await redis.zrem(keys.busyTeams, teamId)
      // What was written late is found the next time.
      if (removed === 0) await redis.zrem(keys.removedTeams, teamId)
      return removed
    },
  }
}

async function eraseOn(
  redis: Redis,
  server: Awaited<ReturnType<typeof serversOf>>[number],
  teamId: string,
  pause: () => Promise<unknown>,
): Promise<number> {
  const pattern = `${keys.teamPrefix(teamId)}*`
  let [cursor, count] = ['0', 0]
  do {
    const [next, names] = await server.scan(cursor, 'MATCH', pattern, 'COUNT', atOnce)
    // Redis gives back what they held in a thread of its own.
    if (names.length > 0) count += await redis.unlink(...names)
    cursor = next
    await pause()
  } while (cursor !== '0')
  return count
}
