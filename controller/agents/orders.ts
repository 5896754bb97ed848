import type { ControllerMessage } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import type { Stage } from '../../shared/stages.ts'
import type { AttackRecord } from '../store/attack-record.ts'
import { lostAfterMs, startWithinMs } from '../store/attack-times.ts'
import type { ExecutionRecord, WaitingOrder } from '../store/executions.ts'

/** The message that carries a waiting order, or undefined when it is too late for it. */
export function orderMessage(
  order: WaitingOrder,
  execution: ExecutionRecord,
  attack: AttackRecord,
  nowMs: number,
  heartbeatSeen: number,
): ControllerMessage | undefined {
  const common = {
    executionId: execution.id,
    generation: order.generation,
    attackId: attack.id,
  }
  if (order.generation > 1) return { halt: common }
  const remainingMs = attack.startByMs - nowMs
  if (remainingMs <= 0) return undefined
  return {
    run: {
      ...common,
      attackType: attack.type,
      paramsJson: JSON.stringify(attack.params),
      container: execution.containerId
        ? {
            id: execution.containerId,
            name: execution.containerName ?? '',
          }
        : null,
      startWithinMs: remainingMs,
      heartbeatSeen,
    },
  }
}

/** How long after a report an execution counts as lost when nothing more is heard, in ms. */
export function lostInMs(stage: Stage, lengthMs: number, ageMs: number): number {
  const longestStartMs = stage === 'Running' ? 0 : startWithinMs
  return Math.max(0, lengthMs + longestStartMs + lostAfterMs - ageMs)
}
