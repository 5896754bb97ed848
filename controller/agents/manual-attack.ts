import type { ManualAttack__Output } from '../../proto/gen/temblor/agent/v1/ManualAttack.ts'
import { parseArgs } from '../../shared/attacks/args.ts'
import { findAttackType } from '../../shared/attacks/index.ts'
import type { Store } from '../store/store.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Records an attack that was started on the host itself. What it is not sound is left out. */
export async function recordManualAttack(
  store: Store,
  teamId: string,
  host: string,
  attack: ManualAttack__Output,
): Promise<void> {
  const type = findAttackType(attack.attackType)
  if (!type || !uuid.test(attack.attackId) || !uuid.test(attack.executionId)) return
  await store.attacks.recordManual({
    teamId,
    host,
    attackId: attack.attackId,
    executionId: attack.executionId,
    type: type.type,
    args: attack.args,
    params: parseArgs(type, attack.args),
    lengthSeconds: Math.ceil(attack.lengthMs / 1000),
    container: attack.container
      ? { id: attack.container.id, name: attack.container.name }
      : undefined,
    startedMs: (await store.executions.nowMs()) - attack.ageMs,
  })
}
