import { randomInt, randomUUID } from 'node:crypto'
import { allowedFrom } from '../../shared/stages.ts'
import { protectLabel } from '../../shared/protect-label.ts'
import {
  annotationFields,
  attackFields,
  toAttack,
  type AnnotationChange,
  type AttackRecord,
  type NewAttack,
} from './attack-record.ts'
import { toBlock, type AttackBlockRecord } from './attack-blocks.ts'
import { listAttacks, type ListedAttacks } from './attack-list.ts'
import { lostAfterMs, startWithinMs } from './attack-times.ts'
import { isId, keys } from './keys.ts'
import { recordManual, type ManualAttack } from './manual-attacks.ts'
import { loadScript, type Redis } from './redis.ts'

const create = loadScript('create-attack')
const halt = loadScript('halt-attack')

/** How many ids and random numbers the script is given at first; it asks for more if it needs them. */
const firstIds = 32

/** 47 random bits: the remainder by the number of candidates is uniform to one in 10^9. */
const randomRange = 2 ** 47

export type CreateResult =
  | { readonly kind: 'created'; readonly attackId: string; readonly hosts: readonly string[] }
  /** The same request was made before: its attack. */
  | { readonly kind: 'repeated'; readonly attackId: string }
  /** The same idempotency key was used for another request. */
  | { readonly kind: 'conflict' }
  /** Somebody forbade new attacks. */
  | { readonly kind: 'blocked'; readonly block: AttackBlockRecord | undefined }
  | { readonly kind: 'missing'; readonly ids: readonly string[] }
  /** Named hosts on which a controller runs. */
  | { readonly kind: 'controller'; readonly hosts: readonly string[] }
  | {
      readonly kind: 'none'
      readonly hostsWithTags: number
      readonly protectedContainers: number
      readonly controllerHosts: number
    }
  | { readonly kind: 'few'; readonly matching: number; readonly asked: number }

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
  /** Resolves the target and writes the attack in one step; it is on disk when this returns. */
  create(attack: NewAttack): Promise<CreateResult>
  /** Resolves the target with the same script, and writes nothing. */
  preview(attack: NewAttack): Promise<Preview>
  /** Records an attack that somebody started on a host. @returns false when it was there before */
  recordManual(attack: ManualAttack): Promise<boolean>
  find(teamId: string, attackId: string): Promise<AttackRecord | undefined>
  /** `after` is the id of the last attack of the page before; undefined when there is no such attack. */
  list(
    teamId: string,
    listed: ListedAttacks,
    limit: number,
    after?: string,
  ): Promise<AttackRecord[] | undefined>
  activeIds(teamId: string): Promise<string[]>
  /** The hosts that have something to halt, or undefined when there is no such attack. */
  halt(
    teamId: string,
    attackId: string,
    by: { who: string; reason: string; reference: string },
  ): Promise<string[] | undefined>
  /** Writes the parts that are given; others stay, also when several write at once. */
  annotate(teamId: string, attackId: string, change: AnnotationChange): Promise<void>
}

/** Opens the store of attacks. */
export function openAttacks(redis: Redis): Attacks {
  return {
    create: (attack) => createAttack(redis, attack, firstIds),
    preview: (attack) => preview(redis, attack),
    recordManual: (attack) => recordManual(redis, attack),
    async find(teamId, attackId) {
      if (!isId(attackId)) return undefined
      return toAttack(teamId, await redis.hgetall(keys.attack(teamId, attackId)))
    },
    list: (teamId, listed, limit, after) => listAttacks(redis, teamId, listed, limit, after),
    activeIds: (teamId) => redis.zrevrange(keys.activeAttacks(teamId), 0, -1),
    async halt(teamId, attackId, by) {
      if (!isId(attackId)) return undefined
      const [kind, ...hosts] = (await halt.run(
        redis,
        [
          keys.attack(teamId, attackId),
          keys.attackExecutions(teamId, attackId),
          keys.events(teamId),
        ],
        [
          attackId,
          by.who,
          allowedFrom('Halt').join(),
          keys.executionPrefix(teamId),
          keys.outboxPrefix(teamId),
          by.reason,
          by.reference,
        ],
      )) as [string, ...string[]]
      return kind === 'unknown' ? undefined : [...new Set(hosts)]
    },
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
  options: { ids: number; preview: boolean },
): Promise<[string, ...string[]]> {
  const { teamId, target, idempotency } = attack
  const request = {
    ...target,
    preview: options.preview,
    spared_boot_ids: attack.sparedBootIds ?? [],
    random: Array.from({ length: options.ids }, () => randomInt(randomRange)),
    execution_ids: Array.from({ length: options.ids }, () => randomUUID()),
    start_within_ms: startWithinMs,
    lost_after_ms: startWithinMs + lostAfterMs,
    protect_key: protectLabel.key,
    protect_value: protectLabel.value,
    host_prefix: keys.hostPrefix(teamId),
    outbox_prefix: keys.outboxPrefix(teamId),
    open_prefix: keys.openPrefix(teamId),
    execution_prefix: keys.executionPrefix(teamId),
    idempotency: idempotency?.bodyHash ?? null,
    blocked: attack.block ? JSON.stringify(attack.block) : null,
  }
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
    [JSON.stringify(request), attackId, ...Object.entries(attackFields(attackId, attack)).flat()],
  )) as [string, ...string[]]
}

async function createAttack(redis: Redis, attack: NewAttack, ids: number): Promise<CreateResult> {
  const attackId = randomUUID()
  const [kind, ...rest] = await runCreate(redis, attackId, attack, { ids, preview: false })
  const [first, second] = [Number(rest[0]), Number(rest[1])]
  switch (kind) {
    case 'more':
      return await createAttack(redis, attack, first)
    case 'missing':
      return { kind, ids: rest }
    case 'controller':
      return { kind, hosts: rest }
    case 'none':
      return {
        kind,
        hostsWithTags: first,
        protectedContainers: second,
        controllerHosts: Number(rest[2]),
      }
    case 'few':
      return { kind, matching: first, asked: second }
    case 'repeated':
      return { kind, attackId: rest[0] as string }
    case 'conflict':
      return { kind }
    case 'blocked':
      return { kind, block: toBlock(rest[0]) }
    default: {
      const hosts = rest.filter((_, index) => index > 0 && index % 2 === 0)
      return { kind: 'created', attackId, hosts: [...new Set(hosts)] }
    }
  }
}

/** An empty list of Lua is written as an object. */
function list<T>(value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : []
}

async function preview(redis: Redis, attack: NewAttack): Promise<Preview> {
  const options = { ids: 0, preview: true }
  const [, json = '{}'] = await runCreate(redis, randomUUID(), attack, options)
  const found = JSON.parse(json) as Preview
  return {
    drawn: found.drawn,
    units: found.units,
    rows: list(found.rows),
    out: list(found.out),
    missing: list(found.missing).slice(1),
  }
}
