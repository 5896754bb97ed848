import { randomInt, randomUUID } from 'node:crypto'
import {
  annotationFields,
  attackFields,
  toAttack,
  type AnnotationChange,
  type AttackRecord,
  type NewAttack,
} from './attack-record.ts'
import { listAttacks, type ListEdge, type ListedAttacks } from './attack-list.ts'
import { openBusyTeams } from './busy-teams.ts'
import { creationRequest, oneScriptLimit } from './creation-request.ts'
import { startWithinMs } from './attack-times.ts'
import {
  toRefused,
  type CreateResult,
  type WrittenOrder,
  type WrittenOrders,
} from './creation-result.ts'
import { haltAttack, type HaltedBy } from './halts.ts'
import { mendIndex, sweepHosts } from './host-index.ts'
import { heardLately } from './hosts.ts'
import { isId, keys } from './keys.ts'
import { createLarge, discardUnwritten, withdrawUnwritten } from './large-attacks.ts'
import { recordManual, type ManualAttack } from './manual-attacks.ts'
import { loadScript, type Redis } from './redis.ts'
import { previewBy, surveyHosts } from './survey.ts'
import { openTeamClocks, type Answer, type TeamClocks } from './team-clocks.ts'

const create = loadScript('create-attack')

/** So many trials and candidates may be in vain before the script asks for more numbers. */
const spareNumbers = 18

/** How many ids the script is given at first; it asks for more if it needs them. */
function firstIds({ target: { containers, draw } }: NewAttack): number {
  return containers || !draw?.count ? 32 : Math.min(draw.count, oneScriptLimit)
}

/** 47 random bits: the remainder by the number of candidates is uniform to one in 10^9. */
const randomRange = 2 ** 47

/** What an attack would do: of so many units, `drawn` would be drawn. */
export interface Preview {
  readonly drawn: number
  readonly units: number
  readonly rows: readonly { host: string; container: string | null; name: string | null }[]
  readonly out: readonly { host: string; container?: string; name?: string; reason: OutReason }[]
  readonly missing: readonly string[]
}

export type OutReason = 'revoked' | 'silent' | 'tags' | 'controller' | 'no_container' | 'protected'

/** The attacks of a team. */
export interface Attacks {
  /** Resolves the target and writes the attack, as if in one step; it is on disk when this returns. */
  create(attack: NewAttack): Promise<CreateResult>
  /** Attacks that are not written to their end yet will not start. */
  withdrawUnwritten(teamId: string): Promise<void>
  /** Removes what is left of attacks that were never written to their end. */
  discardUnwritten(teamId: string): Promise<number>
  /** Resolves the target with the same script, and writes nothing. */
  preview(attack: NewAttack): Promise<Preview>
  /** Records an attack that somebody started on a host. @returns false when it was there before */
  recordManual(attack: ManualAttack): Promise<boolean>
  find(teamId: string, attackId: string): Promise<AttackRecord | undefined>
  /** `after` is the last attack of the page before; undefined when there is no such attack. */
  list(
    teamId: string,
    listed: ListedAttacks,
    limit: number,
    after?: ListEdge,
  ): Promise<AttackRecord[] | undefined>
  activeIds(teamId: string): Promise<string[]>
  /**
   * The hosts that have something to halt, or undefined when there is no such attack. `onWritten` hears of their orders
   * as soon as they are written.
   */
  halt(
    teamId: string,
    attackId: string,
    by: HaltedBy,
    onWritten?: (written: WrittenOrders) => void,
  ): Promise<string[] | undefined>
  /** Writes the parts that are given; others stay, also when several write at once. */
  annotate(teamId: string, attackId: string, change: AnnotationChange): Promise<void>
}

/** Opens the store of attacks. */
export function openAttacks(
  redis: Redis,
  busyTeams = openBusyTeams(redis),
  clocks = openTeamClocks(redis),
): Attacks {
  return {
    async create(attack) {
      await Promise.all([busyTeams.note(attack.teamId), clocks.read(attack.teamId)])
      const options = { ids: firstIds(attack), readAll: false }
      return await createAttack({ redis, clocks }, attack, options)
    },
    withdrawUnwritten: (teamId) => withdrawUnwritten(redis, teamId),
    discardUnwritten: (teamId) => discardUnwritten(redis, teamId),
    preview: async (attack) => await withoutGone(redis, attack, await preview(redis, attack)),
    async recordManual(attack) {
      await busyTeams.note(attack.teamId)
      return await recordManual(redis, attack)
    },
    async find(teamId, attackId) {
      if (!isId(attackId)) return undefined
      return toAttack(teamId, await redis.hgetall(keys.attack(teamId, attackId)))
    },
    list: (teamId, listed, limit, after) => listAttacks(redis, teamId, listed, limit, after),
    activeIds: (teamId) => redis.zrevrange(keys.activeAttacks(teamId), 0, -1),
    halt: (teamId, attackId, by, onWritten) => haltAttack(redis, teamId, attackId, by, onWritten),
    async annotate(teamId, attackId, change) {
      const fields = annotationFields(change)
      if (Object.keys(fields).length > 0) await redis.hset(keys.attack(teamId, attackId), fields)
    },
  }
}

/** Runs the creating script; in preview it writes nothing. */
async function runCreate(
  redis: Redis,
  attackId: string,
  attack: NewAttack,
  options: { ids: number; preview: boolean; readAll: boolean; byMs?: number },
): Promise<Answer> {
  const { teamId, idempotency } = attack
  const request = creationRequest(attack, {
    preview: options.preview,
    read_all: options.readAll,
    by_ms: options.byMs,
    random: Array.from({ length: options.ids + spareNumbers }, () => randomInt(randomRange)),
    execution_ids: Array.from({ length: options.ids }, () => randomUUID()),
  })
  return (await create.run(
    redis,
    [
      keys.liveHosts(teamId),
      keys.attacks(teamId),
      keys.activeAttacks(teamId),
      keys.attack(teamId, attackId),
      keys.attackExecutions(teamId, attackId),
      keys.due(teamId),
      keys.events(teamId),
      keys.idempotency(teamId, idempotency?.key ?? ''),
      keys.hosts(teamId),
      keys.attackBlock(teamId),
    ],
    [request, attackId, ...Object.entries(attackFields(attackId, attack)).flat()],
  )) as Answer
}

async function createAttack(
  storage: { readonly redis: Redis; readonly clocks: TeamClocks },
  attack: NewAttack,
  options: { ids: number; readAll: boolean },
): Promise<CreateResult> {
  const { redis, clocks } = storage
  const attackId = randomUUID()
  const askedMs = performance.now()
  const [kind, ...rest] = await clocks.inTime(attack.teamId, (byMs) =>
    runCreate(redis, attackId, attack, { ...options, preview: false, byMs }),
  )
  if (kind === 'large') return await createLarge(storage, attack)
  if (kind === 'more')
    return Number(rest[0]) > oneScriptLimit
      ? await createLarge(storage, attack)
      : await createAttack(storage, attack, { ...options, ids: Number(rest[0]) })
  if (kind === 'sweep') {
    await sweepHosts(redis, attack.teamId)
    return await createAttack(storage, attack, options)
  }
  if (kind === 'mend') {
    await mendIndex(redis, attack.teamId)
    // Should the index still not do, as while an older version runs beside, the hosts are read one by one.
    return await createAttack(storage, attack, { ...options, readAll: true })
  }
  if (kind !== 'ok') return toRefused([kind, ...rest])
  const written = readWritten(attackId, attack, askedMs, rest)
  const hosts = [...new Set(written.orders.map(({ host }) => host))]
  return { kind: 'created', attackId, hosts, written }
}

/** What the script says of each execution. */
const fieldsOfExecution = 5

function readWritten(
  attackId: string,
  attack: NewAttack,
  askedMs: number,
  [now, ...values]: readonly string[],
): WrittenOrders {
  const nowMs = Number(now)
  const ofAttack = {
    generation: 1,
    attackId,
    type: attack.type,
    paramsJson: JSON.stringify(attack.params),
    startByMs: nowMs + startWithinMs,
  }
  const orders: WrittenOrder[] = []
  for (let at = 0; at < values.length; at += fieldsOfExecution) {
    const row = values.slice(at, at + fieldsOfExecution)
    const [executionId = '', host = '', containerId = '', containerName = '', controller] = row
    const controllerId = controller || undefined
    orders.push({ ...ofAttack, executionId, host, containerId, containerName, controllerId })
  }
  return { nowMs, askedMs, orders }
}

/** An empty list of Lua is written as an object. */
function list<T>(value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : []
}

async function preview(redis: Redis, attack: NewAttack): Promise<Preview> {
  const options = { ids: 0, preview: true, readAll: true }
  const [kind, json = '{}'] = await runCreate(redis, randomUUID(), attack, options)
  if (kind === 'large') return previewBy(await surveyHosts(redis, attack, { isPreview: true }))
  const found = JSON.parse(json) as Preview
  return {
    drawn: found.drawn,
    units: found.units,
    rows: list(found.rows),
    out: list(found.out),
    missing: list(found.missing).slice(1),
  }
}

/** Of hosts that nobody named, and that are listed no more, nobody asks why they are out. */
async function withoutGone(redis: Redis, attack: NewAttack, found: Preview): Promise<Preview> {
  const isCutOff = ({ reason }: Preview['out'][number]) =>
    reason === 'silent' || reason === 'revoked'
  const names = found.out.filter(isCutOff).map(({ host }) => host)
  if (attack.target.hosts.ids || names.length === 0) return found
  const listed = new Set(await heardLately(redis, attack.teamId, names))
  return { ...found, out: found.out.filter((one) => !isCutOff(one) || listed.has(one.host)) }
}
