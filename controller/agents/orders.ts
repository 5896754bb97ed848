import type { ControllerMessage } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import type { GoingDown } from '../../shared/attacks/define.ts'
import { findAttackType, type AttackParams } from '../../shared/attacks/index.ts'
import { allowedFrom, type Stage } from '../../shared/stages.ts'
import type { AttackRecord } from '../store/attack-record.ts'
import { lostAfterMs, startWithinMs, undoWithinMs } from '../store/attack-times.ts'
import type { ExecutionRecord } from '../store/executions.ts'
import type { FullOrder } from '../store/waiting-orders.ts'

/** Orders to begin are the first generation of an execution; what ends it is a later one. */
export const haltGeneration = 2

/** Whether an order ends an execution. */
export function isHalt({ generation }: Pick<FullOrder, 'generation'>): boolean {
  return generation >= haltGeneration
}

/** The message that carries a waiting order, or undefined when it is too late for it. */
export function orderMessage(
  order: FullOrder,
  nowMs: number,
  { heartbeatSeen, figuresMs }: { heartbeatSeen: number; figuresMs: number },
): ControllerMessage | undefined {
  const { executionId, generation, attackId } = order
  const common = { executionId, generation, attackId }
  if (isHalt(order)) return { halt: common }
  const remainingMs = order.startByMs - nowMs
  if (remainingMs <= 0) return undefined
  return {
    run: {
      ...common,
      attackType: order.type,
      paramsJson: order.paramsJson,
      container: order.containerId ? { id: order.containerId, name: order.containerName } : null,
      startWithinMs: remainingMs,
      heartbeatSeen,
      figuresMs,
    },
  }
}

/** How long an execution takes. */
export interface ExecutionTimes {
  readonly lengthMs: number
  /** How long its host may be silent after that; set when it takes the host down. */
  readonly settleMs: number | undefined
}

/** What the times of an execution follow from. */
type Timed = Pick<AttackRecord, 'type' | 'params' | 'lengthSeconds'>

/** The times of one execution of an attack. */
export function timesOf(
  attack: Timed,
  execution: Pick<ExecutionRecord, 'containerId'>,
): ExecutionTimes {
  const goingDown = goingDownOf(attack, execution)
  return {
    lengthMs: attack.lengthSeconds * 1000,
    settleMs: goingDown && goingDown.settleSeconds * 1000,
  }
}

/** The same of what an order begins; undefined for a type that is not known here. */
export function timesOfOrder({
  type,
  paramsJson,
  containerId,
}: FullOrder): ExecutionTimes | undefined {
  const params = JSON.parse(paramsJson) as AttackParams
  const lengthSeconds = findAttackType(type)?.lengthSeconds(params as never)
  if (lengthSeconds === undefined) return undefined
  return timesOf({ type, params, lengthSeconds }, { containerId: containerId || undefined })
}

/** What becomes of the host of an execution that takes it down; else undefined. */
export function goingDownOf(
  attack: Pick<Timed, 'type' | 'params'>,
  execution: Pick<ExecutionRecord, 'containerId'>,
): GoingDown | undefined {
  const kind = execution.containerId === undefined ? 'Host' : 'Container'
  return findAttackType(attack.type)?.goesDown?.(attack.params as never, kind)
}

/** How long after a report an execution counts as lost when nothing more is heard, in ms. */
export function lostInMs(stage: Stage, times: ExecutionTimes, ageMs: number): number {
  const { settleMs } = times
  // A host goes down when its fault is torn down.
  if (settleMs !== undefined && stage === 'TearingDown') return Math.max(0, settleMs - ageMs)
  return Math.max(0, goesOnMs(stage, times) + (settleMs ?? lostAfterMs) - ageMs)
}

/** How long an execution that has just reached this stage goes on at most, in ms. */
function goesOnMs(stage: Stage, { lengthMs }: ExecutionTimes): number {
  if (stage === 'Running') return lengthMs
  // Once it is taken back, how long it was to last says nothing more.
  return allowedFrom(stage).includes('Running') ? undoWithinMs : startWithinMs + lengthMs
}
