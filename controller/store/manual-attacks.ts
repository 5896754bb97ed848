import type { Target } from '../../shared/targets.ts'
import { attackFields, type NewAttack } from './attack-record.ts'
import { startWithinMs } from './attack-times.ts'
import { keys } from './keys.ts'
import type { Redis } from './redis.ts'

/** An attack that somebody started on a host itself. */
export interface ManualAttack extends Omit<NewAttack, 'target' | 'createdBy' | 'source'> {
  readonly attackId: string
  readonly executionId: string
  readonly host: string
  readonly container: { readonly id: string; readonly name: string } | undefined
  readonly startedMs: number
}

/** Writes the record of an attack that is running already. @returns false when it was there before */
export async function recordManual(redis: Redis, attack: ManualAttack): Promise<boolean> {
  const { teamId, attackId, executionId, container, startedMs: at } = attack
  if ((await redis.exists(keys.execution(teamId, executionId))) === 1) return false
  const target: Target = {
    type: 'Exact',
    hosts: { ids: [attack.host], tags: {} },
    containers: container ? { ids: [container.id], labels: {} } : null,
    draw: null,
  }
  const by = { createdBy: 'local', source: 'Manual' }
  await redis
    .multi()
    .hset(keys.attack(teamId, attackId), {
      ...attackFields(attackId, { ...attack, ...by, target }),
      created_ms: at,
      start_by_ms: at + startWithinMs,
      without: '[]',
      open: 1,
    })
    .zadd(keys.attacks(teamId), at, attackId)
    .zadd(keys.activeAttacks(teamId), at, attackId)
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
  return true
}
