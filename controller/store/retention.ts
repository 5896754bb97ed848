import { keys } from './keys.ts'
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
  /** Forgets invitations that have expired; gives how many. */
  forgetInvitations(companyId: string): Promise<number>
}

/** Executions that go in one call: less than a millisecond of Redis. */
const sliceSize = 200

const forget = loadScript('forget-attacks')
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
