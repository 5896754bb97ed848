import type { ManualAttack__Output } from '../../proto/gen/temblor/agent/v1/ManualAttack.ts'
import { parseArgs } from '../../shared/attacks/args.ts'
import { findAttackType } from '../../shared/attacks/index.ts'
import { isId } from '../store/keys.ts'
import type { Store } from '../store/store.ts'

/** Records an attack that was started on the host itself. What it is not sound is left out. */
export async function recordManualAttack(
  store: Store,
  teamId: string,
  host: string,
  attack: ManualAttack__Output,
): Promise<void> {
  const type = findAttackType(attack.attackType)
  if (!type || !isId(attack.attackId) || !isId(attack.executionId)) return
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
