import type { ManualAttack__Output } from '../../proto/gen/temblor/agent/v1/ManualAttack.ts'
import { parseArgs } from '../../shared/attacks/args.ts'
import { findAttackType } from '../../shared/attacks/index.ts'
import { isId } from '../store/keys.ts'
import type { AgentAudit, AgentPeer } from '../audit/of-agents.ts'
import type { Store } from '../store/store.ts'

/** What is needed to record attacks that come from hosts. */
export interface ManualAttackDeps {
  readonly store: Store
  readonly agentAudit: AgentAudit
}

/** Records an attack that was started on the host itself, once. What is not sound is left out. */
export async function recordManualAttack(
  { store, agentAudit }: ManualAttackDeps,
  agent: AgentPeer,
  host: string,
  attack: ManualAttack__Output,
): Promise<void> {
  const type = findAttackType(attack.attackType)
  if (!type || !isId(attack.attackId) || !isId(attack.executionId)) return
  const isNew = await store.attacks.recordManual({
    teamId: agent.teamId,
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
    startedMs: (await store.executions.nowMs(agent.teamId)) - attack.ageMs,
  })
  const asked = { id: attack.attackId, type: type.type, args: attack.args.join(' ') }
  if (isNew) await agentAudit.attacked(agent, host, asked)
}
