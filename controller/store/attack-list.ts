import { toAttack, type AttackRecord } from './attack-record.ts'
import { keys } from './keys.ts'
import { readInSlices } from './read-in-slices.ts'
import type { Redis } from './redis.ts'

/** Which attacks a list holds; the newest come first. */
export interface ListedAttacks {
  readonly state?: 'active' | 'completed' | undefined
  /** Created from … to …, epoch ms. */
  readonly fromMs?: number
  readonly toMs?: number
}

/**
 * The newest attacks, or those behind the attack `after`; undefined when there is no such attack. What is
 * read grows with `limit` and the attacks that are not over, never with all that there have been.
 */
export async function listAttacks(
  redis: Redis,
  teamId: string,
  listed: ListedAttacks,
  limit: number,
  after: string | undefined,
): Promise<AttackRecord[] | undefined> {
  const read =
    listed.state === 'active'
      ? listActive(redis, teamId, listed, limit, after)
      : listByRank(redis, teamId, listed, limit, after)
  const ids = await read
  return ids && (await readAttacks(redis, teamId, ids))
}

type ListIds = (
  redis: Redis,
  teamId: string,
  listed: ListedAttacks,
  limit: number,
  after: string | undefined,
) => Promise<string[] | undefined>

/** Of those that are not over. The attack `after` may be over since the page before. */
const listActive: ListIds = async (
  redis,
  teamId,
  { fromMs = 0, toMs = Infinity },
  limit,
  after,
) => {
  const edge = after === undefined ? null : await redis.zscore(keys.attacks(teamId), after)
  if (after !== undefined && edge === null) return undefined
  const answer = await redis.zrevrange(keys.activeAttacks(teamId), 0, -1, 'WITHSCORES')
  const isBehind = ({ id, ms }: { id: string; ms: number }) =>
    edge === null || ms < Number(edge) || (ms === Number(edge) && id < (after ?? ''))
  return idsAndTimes(answer)
    .filter((one) => isBehind(one) && one.ms >= fromMs && one.ms <= toMs)
    .slice(0, limit)
    .map(({ id }) => id)
}

/** Of all, or of those that are over, which nearly all are. */
const listByRank: ListIds = async (redis, teamId, listed, limit, after) => {
  const first = await firstRank(redis, teamId, listed.toMs, after)
  if (first === undefined) return undefined
  const active =
    listed.state === undefined
      ? undefined
      : new Set(await redis.zrevrange(keys.activeAttacks(teamId), 0, -1))
  const found: string[] = []
  const chunk = Math.max(limit, 100)
  for (let rank = first; found.length < limit; rank += chunk) {
    const answer = await redis.zrevrange(keys.attacks(teamId), rank, rank + chunk - 1, 'WITHSCORES')
    for (const { id, ms } of idsAndTimes(answer)) {
      if (ms < (listed.fromMs ?? 0)) return found
      if (!active?.has(id)) found.push(id)
    }
    if (answer.length < 2 * chunk) break
  }
  return found.slice(0, limit)
}

/** Where to begin; undefined when there is no attack `after`. */
async function firstRank(
  redis: Redis,
  teamId: string,
  toMs: number | undefined,
  after: string | undefined,
): Promise<number | undefined> {
  const all = keys.attacks(teamId)
  const lastRank = after === undefined ? -1 : await redis.zrevrank(all, after)
  if (lastRank === null) return undefined
  const isOpen = toMs === undefined || toMs === Infinity
  return Math.max(lastRank + 1, isOpen ? 0 : await redis.zcount(all, `(${toMs}`, '+inf'))
}

/** What `WITHSCORES` answers. */
function idsAndTimes(answer: readonly string[]): { id: string; ms: number }[] {
  return Array.from({ length: answer.length / 2 }, (_, at) => ({
    id: answer[2 * at] ?? '',
    ms: Number(answer[2 * at + 1]),
  }))
}

async function readAttacks(
  redis: Redis,
  teamId: string,
  ids: readonly string[],
): Promise<AttackRecord[]> {
  const records = await readInSlices(redis, ids, (pipeline, id) =>
    pipeline.hgetall(keys.attack(teamId, id)),
  )
  return records.flatMap((record) => toAttack(teamId, record as Record<string, string>) ?? [])
}
