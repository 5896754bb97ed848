import { keys } from './keys.ts'
import { readInSlices } from './read-in-slices.ts'
import { loadScript, redisNowMs, type Redis } from './redis.ts'
import { fieldsOf } from './scan.ts'

/** What is forgotten after a time, each call a bounded part of it. */
export interface Retention {
  /** True once in so long for all controllers together. */
  takeTurn(everySeconds: number): Promise<boolean>
  /**
   * Forgets some attacks of a team that ended longer ago than this, with their executions and series. `passOver` of the
   * oldest are known to be kept.
   */
  forgetAttacks(
    teamId: string,
    olderThanMs: number,
    passOver: number,
  ): Promise<{ readonly forgotten: number; readonly kept: number; readonly isMore: boolean }>
  /** The hosts of a team, in slices, as far as they have been silent for so long; some of them perhaps twice. */
  silentHosts(teamId: string, olderThanMs: number): AsyncGenerator<string[]>
  /**
   * Forgets those of these hosts that are still silent for so long, and for which nothing is under way; gives how many.
   * Revoked ones stay out.
   */
  forgetHosts(teamId: string, identifiers: readonly string[], olderThanMs: number): Promise<number>
  /** Forgets invitations that have expired; gives how many. */
  forgetInvitations(companyId: string): Promise<number>
}

/** Executions that go in one call: less than a millisecond of Redis. */
const sliceSize = 200

/** Hosts that go in one call: each may carry 200 tags, which take most of a millisecond. */
const hostsAtOnce = 3
/** Hosts that are listed in one step. */
const listedAtOnce = 500

const forget = loadScript('forget-attacks')
const forgetHosts = loadScript('forget-hosts')
const takeField = loadScript('take-field')

/** Opens what forgets. */
export function openRetention(redis: Redis): Retention {
  return {
    takeTurn: async (everySeconds) =>
      (await redis.set(keys.retentionTurn, '1', 'EX', everySeconds, 'NX')) === 'OK',
    async forgetAttacks(teamId, olderThanMs, passOver) {
      const beforeMs = (await redisNowMs(redis, keys.attacks(teamId))) - olderThanMs
      const lists = [keys.attacks(teamId), keys.activeAttacks(teamId), keys.forgotten(teamId)]
      const prefixes = [keys.attackPrefix, keys.executionPrefix, keys.outboxPrefix]
      const [forgotten, kept, more] = (await forget.run(redis, lists, [
        beforeMs,
        passOver,
        sliceSize,
        ...prefixes.map((prefix) => prefix(teamId)),
      ])) as [number, number, number]
      return { forgotten, kept, isMore: more === 1 }
    },
    silentHosts: (teamId, olderThanMs) => silentHosts(redis, teamId, olderThanMs),
    async forgetHosts(teamId, identifiers, olderThanMs) {
      const at = [keys.liveHosts(teamId), keys.hosts(teamId), keys.hostIndex(teamId)]
      const prefixes = [keys.hostPrefix, keys.outboxPrefix, keys.openPrefix]
      const args = [olderThanMs, ...prefixes.map((prefix) => prefix(teamId)), ...identifiers]
      return Number(await forgetHosts.run(redis, at, args))
    },
    async forgetInvitations(companyId) {
      const key = keys.companyInvitations(companyId)
      let count = 0
      for await (const [email, text] of fieldsOf(redis, key))
        if ((JSON.parse(text) as { expiresMs: number }).expiresMs <= Date.now())
          count += Number(await takeField.run(redis, [key], [email, text]))
      return count
    },
  }
}

async function* silentHosts(
  redis: Redis,
  teamId: string,
  olderThanMs: number,
): AsyncGenerator<string[]> {
  const beforeMs = (await redisNowMs(redis, keys.hosts(teamId))) - olderThanMs
  let cursor = '0'
  do {
    const [next, found] = await redis.sscan(keys.hosts(teamId), cursor, 'COUNT', listedAtOnce)
    const seen = await readInSlices(redis, found, (pipeline, identifier) =>
      pipeline.hget(keys.host(teamId, identifier), 'last_seen_ms'),
    )
    const silent = found.filter((_, place) => Number(seen[place] ?? 0) <= beforeMs)
    for (let at = 0; at < silent.length; at += hostsAtOnce) yield silent.slice(at, at + hostsAtOnce)
    cursor = next
  } while (cursor !== '0')
}
