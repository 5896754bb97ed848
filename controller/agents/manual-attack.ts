import type { ManualAttack__Output } from '../../proto/gen/temblor/agent/v1/ManualAttack.ts'
import { ArgsError, parseArgs } from '../../shared/attacks/args.ts'
import type { AttackType } from '../../shared/attacks/define.ts'
import { findAttackType, type AttackParams } from '../../shared/attacks/index.ts'
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
  const params = soundParams(type, attack.args)
  const { id = '', name = '' } = attack.container ?? {}
  if (!params) return
  const isNew = await store.attacks.recordManual({
    teamId: agent.teamId,
    host,
    attackId: attack.attackId,
    executionId: attack.executionId,
    type: type.type,
    args: attack.args,
    params,
    lengthSeconds: type.lengthSeconds(params as never),
    container: id === '' ? undefined : { id, name },
    startedMs: (await store.executions.nowMs(agent.teamId)) - attack.ageMs,
  })
  const asked = { id: attack.attackId, type: type.type, args: attack.args.join(' ') }
  if (isNew) await agentAudit.attacked(agent, host, asked)
}

function soundParams(type: AttackType, args: readonly string[]): AttackParams | undefined {
  try {
    return parseArgs(type, args)
  } catch (error) {
    if (error instanceof ArgsError) return undefined
    throw error
  }
}
