import { randomInt, randomUUID } from 'node:crypto'
import type { AttackParams } from '../../shared/attacks/index.ts'
import { allowedFrom } from '../../shared/stages.ts'
import { protectLabel, type Target } from '../../shared/targets.ts'
import { isId, keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

const create = loadScript('create-attack')
const halt = loadScript('halt-attack')

/** An order that no agent has taken after this long is not carried out any more. */
export const startWithinMs = 30_000

/** An execution counts as lost when nothing was heard of it this long after it should be over. */
export const lostAfterMs = 15_000

/** The lists of the interface give at most this many, the newest first. */
const listLimit = 1_000

/** How many execution ids the creating script is given at first; it asks for more if it needs them. */
const firstIds = 32

export interface NewAttack {
  readonly teamId: string
  readonly type: string
  readonly args: readonly string[]
  readonly params: AttackParams
  readonly lengthSeconds: number
  readonly target: Target
  readonly createdBy: string
  readonly source: string
}

/** An attack as it is stored; its stage follows from its executions. */
export interface AttackRecord {
  readonly id: string
  readonly teamId: string
  readonly type: string
  readonly args: readonly string[]
  readonly params: AttackParams
  readonly lengthSeconds: number
  readonly target: Target
  readonly withoutContainer: readonly string[]
  readonly createdBy: string
  readonly source: string
  readonly createdMs: number
  readonly startByMs: number
  readonly haltedBy: string | undefined
}

export type CreateResult =
  | { readonly kind: 'created'; readonly attackId: string; readonly hosts: readonly string[] }
  | { readonly kind: 'missing'; readonly identifiers: readonly string[] }
  | { readonly kind: 'none'; readonly hostsWithTags: number; readonly protectedContainers: number }

/** The attacks of a team. */
export interface Attacks {
  /** Resolves the target and writes the attack in one step; it is on disk when this returns. */
  create(attack: NewAttack): Promise<CreateResult>
  /** Records an attack that somebody started on a host. Repeating it changes nothing. */
  recordManual(attack: ManualAttack): Promise<void>
  find(teamId: string, attackId: string): Promise<AttackRecord | undefined>
  list(teamId: string): Promise<AttackRecord[]>
  /** The hosts that have something to halt, or undefined when there is no such attack. */
  halt(teamId: string, attackId: string, by: string): Promise<string[] | undefined>
}

export interface ManualAttack extends Omit<NewAttack, 'target' | 'createdBy' | 'source'> {
  readonly attackId: string
  readonly executionId: string
  readonly host: string
  readonly container: { readonly id: string; readonly name: string } | undefined
  readonly startedMs: number
}

/** Opens the store of attacks. */
export function openAttacks(redis: Redis): Attacks {
  return {
    create: (attack) => createAttack(redis, attack, firstIds),
    recordManual: (attack) => recordManual(redis, attack),
    async find(teamId, attackId) {
      if (!isId(attackId)) return undefined
      return toAttack(teamId, await redis.hgetall(keys.attack(teamId, attackId)))
    },
    async list(teamId) {
      const ids = await redis.zrevrange(keys.attacks(teamId), 0, listLimit - 1)
      const pipeline = redis.pipeline()
      for (const id of ids) pipeline.hgetall(keys.attack(teamId, id))
      return ((await pipeline.exec()) ?? []).flatMap(([error, record]) => {
        if (error) throw error
        return toAttack(teamId, record as Record<string, string>) ?? []
      })
    },
    async halt(teamId, attackId, by) {
      if (!isId(attackId)) return undefined
      const [kind, ...hosts] = (await halt.run(
        redis,
        [keys.attack(teamId, attackId), keys.attackExecutions(teamId, attackId)],
        [by, allowedFrom('Halt').join(), keys.executionPrefix(teamId), keys.outboxPrefix(teamId)],
      )) as [string, ...string[]]
      return kind === 'unknown' ? undefined : [...new Set(hosts)]
    },
  }
}

async function createAttack(redis: Redis, attack: NewAttack, ids: number): Promise<CreateResult> {
  const { teamId, target } = attack
  const attackId = randomUUID()
  const request = {
    ...target,
    // 47 random bits: the remainder by the number of candidates is uniform to one in 10^9.
    draw: randomInt(2 ** 47),
    start_within_ms: startWithinMs,
    lost_after_ms: startWithinMs + lostAfterMs,
    protect_key: protectLabel.key,
    protect_value: protectLabel.value,
    execution_ids: Array.from({ length: ids }, () => randomUUID()),
    host_prefix: keys.hostPrefix(teamId),
    outbox_prefix: keys.outboxPrefix(teamId),
    open_prefix: keys.openPrefix(teamId),
    execution_prefix: keys.executionPrefix(teamId),
  }
  const [kind, ...rest] = (await create.run(
    redis,
    [
      keys.liveHosts(teamId),
      keys.attacks(teamId),
      keys.attack(teamId, attackId),
      keys.attackExecutions(teamId, attackId),
      keys.due(teamId),
    ],
    [JSON.stringify(request), attackId, ...Object.entries(attackFields(attackId, attack)).flat()],
  )) as [string, ...string[]]
  if (kind === 'more') return await createAttack(redis, attack, Number(rest[0]))
  if (kind === 'missing') return { kind, identifiers: rest }
  if (kind === 'none')
    return { kind, hostsWithTags: Number(rest[0]), protectedContainers: Number(rest[1]) }
  return {
    kind: 'created',
    attackId,
    hosts: [...new Set(rest.filter((_, i) => i % 2 === 0 && i > 0))],
  }
}

async function recordManual(redis: Redis, attack: ManualAttack): Promise<void> {
  const { teamId, attackId, executionId, container } = attack
  if ((await redis.exists(keys.execution(teamId, executionId))) === 1) return
  const labels: Record<string, string> = {}
  const target: Target = { type: 'Exact', tags: {}, exact: [attack.host], labels }
  const fields = attackFields(attackId, {
    ...attack,
    target,
    createdBy: 'local',
    source: 'Manual',
  })
  const at = attack.startedMs
  await redis
    .multi()
    .hset(keys.attack(teamId, attackId), {
      ...fields,
      created_ms: at,
      start_by_ms: at + startWithinMs,
      without: '[]',
    })
    .zadd(keys.attacks(teamId), at, attackId)
    .rpush(keys.attackExecutions(teamId, attackId), executionId)
    .hset(keys.execution(teamId, executionId), {
      id: executionId,
      attack_id: attackId,
      host: attack.host,
      container_id: container?.id ?? '',
      container_name: container?.name ?? '',
      stage: 'Distributed',
      generation: 1,
      seq: 0,
      created_ms: at,
      updated_ms: at,
      service_states: `Pending@${at};Distributed@${at}`,
      client_states: '',
    })
    .sadd(keys.openExecutions(teamId, attack.host), executionId)
    .zadd(keys.due(teamId), at + attack.lengthSeconds * 1000 + startWithinMs, executionId)
    .exec()
}

function attackFields(
  attackId: string,
  attack: Omit<NewAttack, 'teamId'>,
): Record<string, string | number> {
  return {
    id: attackId,
    type: attack.type,
    args: JSON.stringify(attack.args),
    params: JSON.stringify(attack.params),
    length_seconds: attack.lengthSeconds,
    target: JSON.stringify(attack.target),
    created_by: attack.createdBy,
    source: attack.source,
  }
}

function toAttack(teamId: string, record: Record<string, string>): AttackRecord | undefined {
  const text = (name: string) => record[name] ?? ''
  if (!record['id']) return undefined
  return {
    id: text('id'),
    teamId,
    type: text('type'),
    args: JSON.parse(text('args')) as string[],
    params: JSON.parse(text('params')) as AttackParams,
    lengthSeconds: Number(text('length_seconds')),
    target: JSON.parse(text('target')) as Target,
    withoutContainer: JSON.parse(record['without'] ?? '[]') as string[],
    createdBy: text('created_by'),
    source: text('source'),
    createdMs: Number(text('created_ms')),
    startByMs: Number(text('start_by_ms')),
    haltedBy: record['halted_by'],
  }
}
