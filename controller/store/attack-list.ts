import { toAttack, type AttackRecord } from './attack-record.ts'
import { keys } from './keys.ts'
import { readInSlices } from './read-in-slices.ts'
import { redisNowMs, type Redis } from './redis.ts'

/** Which attacks a list holds; the newest come first. */
export interface ListedAttacks {
  readonly state?: 'active' | 'completed' | undefined
  /** Created from … to …, epoch ms. */
  readonly fromMs?: number
  readonly toMs?: number
}

/** The attack before a list. Its time finds the place also when it was forgotten meanwhile. */
export interface ListEdge {
  readonly id: string
  readonly createdMs?: number | undefined
}

interface Row {
  readonly id: string
  readonly createdMs: number
}

/** So many ids are looked at in one step, unless more are asked for. */
const stepSize = 100
/** Nothing that is younger is ever forgotten. */
const keptMs = 86_400_000

/**
 * The newest attacks, or those behind the attack `after`; undefined when there is no such attack. What is
 * read grows with `limit`, never with all that there are or have been.
 */
export async function listAttacks(
  redis: Redis,
  teamId: string,
  listed: ListedAttacks,
  limit: number,
  after: ListEdge | undefined,
): Promise<AttackRecord[] | undefined> {
  let edge = after && (await placeOf(redis, teamId, after))
  if (after && !edge) return undefined
  const found: string[] = []
  for (let size = Math.max(limit, stepSize); found.length < limit;) {
    const { rows, isLast } = await step(redis, teamId, listed, { edge, size })
    found.push(...(await wanted(redis, teamId, listed, rows)))
    if (isLast) break
    edge = rows.at(-1) ?? edge
    // So many of one millisecond that none was behind the edge.
    if (rows.length === 0) size *= 2
  }
  return await readAttacks(redis, teamId, found.slice(0, limit))
}

/** The next rows behind the edge. Each step seeks its place anew: what is added or forgotten meanwhile moves nothing. */
async function step(
  redis: Redis,
  teamId: string,
  { state, fromMs = 0, toMs = Infinity }: ListedAttacks,
  { edge, size }: { edge: Row | undefined; size: number },
): Promise<{ rows: Row[]; isLast: boolean }> {
  const answer = await redis.zrevrangebyscore(
    state === 'active' ? keys.activeAttacks(teamId) : keys.attacks(teamId),
    String(Math.min(toMs, edge?.createdMs ?? Infinity)).replace('Infinity', '+inf'),
    fromMs,
    'WITHSCORES',
    'LIMIT',
    0,
    size,
  )
  const rows = Array.from({ length: answer.length / 2 }, (_, at) => ({
    id: answer[2 * at] ?? '',
    createdMs: Number(answer[2 * at + 1]),
  }))
  // Those of one millisecond come by falling ids.
  const isBehind = (row: Row) => !edge || row.createdMs < edge.createdMs || row.id < edge.id
  return { rows: rows.filter(isBehind), isLast: rows.length < size }
}

async function placeOf(
  redis: Redis,
  teamId: string,
  { id, createdMs }: ListEdge,
): Promise<Row | undefined> {
  const score = await redis.zscore(keys.attacks(teamId), id)
  if (score !== null) return { id, createdMs: Number(score) }
  if (createdMs === undefined) return undefined
  const isForgotten = createdMs < (await redisNowMs(redis, keys.attacks(teamId))) - keptMs
  return isForgotten ? { id, createdMs } : undefined
}

/** Which of the rows the list holds: nearly all. */
async function wanted(
  redis: Redis,
  teamId: string,
  { state }: ListedAttacks,
  rows: readonly Row[],
): Promise<string[]> {
  const ids = rows.map(({ id }) => id)
  if (state !== 'completed' || ids.length === 0) return ids
  const active = await redis.zmscore(keys.activeAttacks(teamId), ...ids)
  return ids.filter((_, index) => active[index] === null)
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
