import { randomUUID } from 'node:crypto'
import { attackFields, type NewAttack } from './attack-record.ts'
import { lostAfterMs, startWithinMs } from './attack-times.ts'
import { creationRequest } from './creation-request.ts'
import { toRefused, type CreateResult, type Refused } from './creation-result.ts'
import { keys } from './keys.ts'
import { loadScript, redisNowMs, type Redis } from './redis.ts'
import { shuffled, surveyHosts, unmetBy, type Row } from './survey.ts'
import type { Answer, TeamClocks } from './team-clocks.ts'

const writeSlice = loadScript('write-slice')
const commit = loadScript('commit-attack')
const discard = loadScript('discard-attack')

/** All slices of an attack must be written in this time; then the sweep removes what there is of it. */
const writtenWithinMs = 20_000

/** So many executions are written, or removed, by one script. */
const sliceSize = 100

interface Storage {
  readonly redis: Redis
  readonly clocks: TeamClocks
}

interface Writing extends Storage {
  readonly attackId: string
  readonly attack: NewAttack
}

/**
 * Creates an attack on more hosts than one script may look at or write: in slices, of which nothing is seen or done
 * before the last write. Whatever ends this in between leaves no attack.
 */
export async function createLarge(storage: Storage, attack: NewAttack): Promise<CreateResult> {
  const { redis } = storage
  const survey = await surveyHosts(redis, attack, { isPreview: false })
  const unmet = unmetBy(survey, attack)
  if (unmet) return unmet
  const writing = { ...storage, attackId: randomUUID(), attack }
  try {
    const units = survey.wanted < survey.units.length ? shuffled(survey.units) : survey.units
    const written = await writeUnits(writing, units, survey.wanted)
    const without = attack.target.type === 'Random' ? [] : survey.without
    const refused = Array.isArray(written) ? await commitAttack(writing, without) : written
    if (refused) return await discarded(writing, refused)
    const hosts = (written as Row[]).map(({ host }) => host)
    const { attackId } = writing
    return { kind: 'created', attackId, hosts: [...new Set(hosts)], written: undefined }
  } catch (error) {
    // The sweep does it when Redis is away. What was committed stays.
    await discardAttack(redis, attack.teamId, writing.attackId).catch(() => undefined)
    throw error
  }
}

/** Removes what is left of attacks whose writer is gone. @returns how many it were */
export async function discardUnwritten(redis: Redis, teamId: string): Promise<number> {
  const unwritten = keys.unwrittenAttacks(teamId)
  if ((await redis.exists(unwritten)) === 0) return 0
  const ids = await redis.zrangebyscore(unwritten, 0, await redisNowMs(redis, unwritten))
  for (const id of ids) await discardAttack(redis, teamId, id)
  return ids.length
}

/** Attacks whose last write is still to come will not get it. */
export async function withdrawUnwritten(redis: Redis, teamId: string): Promise<void> {
  const unwritten = keys.unwrittenAttacks(teamId)
  for (const id of await redis.zrange(unwritten, '0', '-1'))
    await redis.zadd(unwritten, 'XX', 0, id)
}

/** The rows that were written: of units that are gone meanwhile others take the place, while there are any. */
async function writeUnits(
  writing: Writing,
  units: readonly (readonly Row[])[],
  wanted: number,
): Promise<Row[] | Refused> {
  const { hosts, containers, draw } = writing.attack.target
  const isNamed = Boolean(hosts.ids ?? containers?.ids)
  const written: Row[] = []
  let [next, missing] = [0, wanted]
  while (missing > 0 && next < units.length) {
    const slice = sliceOf(units, next, missing)
    const answer = await writeRows(writing, slice.flat(), written.length)
    if (!Array.isArray(answer)) return answer
    const stale = new Set(answer)
    if (isNamed && stale.size > 0) return { kind: 'missing', ids: answer }
    next += slice.length
    const kept = slice.filter(([row]) => row && !stale.has(row.host))
    missing -= kept.length
    written.push(...kept.flat())
  }
  if (written.length > 0 && (missing === 0 || !draw?.count)) return written
  return { kind: 'few', matching: wanted - missing, asked: wanted }
}

/** The next units that one script writes: whole ones, so that a host is there with all its containers or not at all. */
function sliceOf(units: readonly (readonly Row[])[], from: number, most: number) {
  let [end, rows] = [from, 0]
  while (end < units.length && end - from < most) {
    rows += units[end]?.length ?? 0
    if (end > from && rows > sliceSize) break
    end += 1
  }
  return units.slice(from, end)
}

/** The hosts that are not there any more; their rows were not written. */
async function writeRows(
  { redis, attackId, attack }: Writing,
  rows: readonly Row[],
  writtenBefore: number,
): Promise<string[] | Refused> {
  const { teamId, target } = attack
  const request = creationRequest(attack, {
    hosts: { ...target.hosts, ids: null },
    containers: null,
    written_within_ms: writtenWithinMs,
    // From the last write on there must be as much time as for any attack.
    lost_after_ms: writtenWithinMs + startWithinMs + lostAfterMs,
  })
  const executions = rows.map(({ host, container, name }) => ({
    id: randomUUID(),
    host,
    container_id: container ?? '',
    container_name: name ?? '',
  }))
  const [kind, ...stale] = (await writeSlice.run(
    redis,
    [
      keys.liveHosts(teamId),
      keys.unwrittenAttacks(teamId),
      keys.attackExecutions(teamId, attackId),
      keys.due(teamId),
    ],
    [request, attackId, JSON.stringify(executions), writtenBefore],
  )) as [string, ...string[]]
  return kind === 'ok' ? stale : toRefused([kind])
}

/** Why it was not committed. */
async function commitAttack(
  { redis, clocks, attackId, attack }: Writing,
  without: readonly string[],
): Promise<Refused | undefined> {
  const { teamId, idempotency } = attack
  const scriptKeys = [
    keys.unwrittenAttacks(teamId),
    keys.attacks(teamId),
    keys.activeAttacks(teamId),
    keys.attack(teamId, attackId),
    keys.attackExecutions(teamId, attackId),
    keys.events(teamId),
    keys.idempotency(teamId, idempotency?.key ?? ''),
    keys.attackBlock(teamId),
  ]
  const fields = Object.entries(attackFields(attackId, attack)).flat()
  const change = { hosts: null, containers: null, without: JSON.stringify(without) }
  const answer = await clocks.inTime(teamId, async (byMs) => {
    const request = creationRequest(attack, { ...change, by_ms: byMs })
    return (await commit.run(redis, scriptKeys, [request, attackId, ...fields])) as Answer
  })
  return answer[0] === 'ok' || answer[1] === attackId ? undefined : toRefused(answer)
}

async function discarded(writing: Writing, refused: Refused): Promise<Refused> {
  await discardAttack(writing.redis, writing.attack.teamId, writing.attackId)
  return refused
}

async function discardAttack(redis: Redis, teamId: string, attackId: string): Promise<void> {
  const scriptKeys = [
    keys.unwrittenAttacks(teamId),
    keys.attack(teamId, attackId),
    keys.attackExecutions(teamId, attackId),
    keys.due(teamId),
  ]
  const args = [
    attackId,
    sliceSize,
    keys.executionPrefix(teamId),
    keys.outboxPrefix(teamId),
    keys.openPrefix(teamId),
  ]
  while (Number(await discard.run(redis, scriptKeys, args)) > 0);
}
