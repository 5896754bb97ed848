import type { Target } from '../../shared/targets.ts'
import { attackFields, type NewAttack } from './attack-record.ts'
import { startWithinMs } from './attack-times.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

const record = loadScript('record-manual')

/** An attack that somebody started on a host itself. */
export interface ManualAttack extends Omit<NewAttack, 'target' | 'createdBy' | 'source'> {
  readonly attackId: string
  readonly executionId: string
  readonly host: string
  readonly container: { readonly id: string; readonly name: string } | undefined
  readonly startedMs: number
}

/** Writes the record of an attack that is running already. @returns false when it, or its execution, was there before */
export async function recordManual(redis: Redis, attack: ManualAttack): Promise<boolean> {
  const { teamId, host, attackId, executionId, startedMs: at } = attack
  const dueMs = at + attack.lengthSeconds * 1000 + startWithinMs
  const written = await record.run(
    redis,
    [
      keys.attack(teamId, attackId),
      keys.attacks(teamId),
      keys.activeAttacks(teamId),
      keys.attackExecutions(teamId, attackId),
      keys.execution(teamId, executionId),
      keys.openExecutions(teamId, host),
      keys.due(teamId),
    ],
    [attackId, executionId, at, dueMs, pairs(recordOf(attack)), pairs(executionOf(attack))],
  )
  return written === 1
}

type Fields = Readonly<Record<string, string | number>>

function recordOf(attack: ManualAttack): Fields {
  const { attackId, host, container, startedMs: at } = attack
  const target: Target = {
    type: 'Exact',
    hosts: { ids: [host], tags: {} },
    containers: container ? { ids: [container.id], labels: {} } : null,
    draw: null,
  }
  return {
    ...attackFields(attackId, { ...attack, target, createdBy: 'local', source: 'Manual' }),
    created_ms: at,
    start_by_ms: at + startWithinMs,
    without: '[]',
    open: 1,
  }
}

function executionOf({ attackId, executionId, host, container, startedMs: at }: ManualAttack) {
  return {
    id: executionId,
    attack_id: attackId,
    host,
    container_id: container?.id ?? '',
    container_name: container?.name ?? '',
    stage: 'Distributed',
    generation: 1,
    seq: 0,
    created_ms: at,
    updated_ms: at,
    service_states: `Pending@${at};Distributed@${at}`,
    client_states: '',
  } satisfies Fields
}

/** As texts: Lua would write large numbers otherwise. */
function pairs(fields: Fields): string {
  return JSON.stringify(Object.entries(fields).flat().map(String))
}
