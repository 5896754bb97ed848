import { protectLabel } from '../../shared/protect-label.ts'
import type { NewAttack } from './attack-record.ts'
import { lostAfterMs, startWithinMs } from './attack-times.ts'
import { keys } from './keys.ts'

/** More executions than this are not written by one script: Redis would do nothing else for some milliseconds. */
export const oneScriptLimit = 200

/** So many hosts are looked at by one script. Containers are read as JSON, which takes longer. */
export function readLimit({ target }: NewAttack): number {
  return target.containers ? oneScriptLimit / 4 : oneScriptLimit
}

/** What the scripts that create attacks are told of a request, as JSON. */
export function creationRequest(attack: NewAttack, change: object): string {
  const { teamId, target, idempotency } = attack
  return JSON.stringify({
    ...target,
    preview: false,
    spared_boot_ids: attack.sparedBootIds ?? [],
    read_limit: readLimit(attack),
    start_within_ms: startWithinMs,
    lost_after_ms: startWithinMs + lostAfterMs,
    protect_key: protectLabel.key,
    protect_value: protectLabel.value,
    host_index: keys.hostIndex(teamId),
    host_prefix: keys.hostPrefix(teamId),
    outbox_prefix: keys.outboxPrefix(teamId),
    open_prefix: keys.openPrefix(teamId),
    execution_prefix: keys.executionPrefix(teamId),
    idempotency: idempotency?.bodyHash ?? null,
    blocked: attack.block ? JSON.stringify(attack.block) : null,
    ...change,
  })
}
