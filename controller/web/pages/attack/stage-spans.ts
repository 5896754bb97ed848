import type { Attack, Execution } from '../../../../shared/api/records.ts'
import type { Stage } from '../../../../shared/stages.ts'

/** How long a target was in a stage. */
export interface StageSpan {
  readonly stage: Stage
  readonly lengthMs: number
}

/**
 * How long a target was in each stage, up to now (epoch ms) in the one that it is in, and what is left of the
 * length that was asked for.
 */
export function stageSpans(
  attack: Pick<Attack, 'created_at' | 'length_seconds'>,
  states: Execution['service_states'],
  nowMs: number,
): { readonly spans: readonly StageSpan[]; readonly restMs: number } {
  const times = states.map(({ timestamp }) => Date.parse(timestamp))
  const lastMs = Math.max(nowMs, ...times)
  const spans = states.map(({ stage }, index) => ({
    stage,
    lengthMs: Math.max(0, (times[index + 1] ?? lastMs) - (times[index] ?? lastMs)),
  }))
  const askedMs = Date.parse(attack.created_at) + attack.length_seconds * 1000
  return { spans, restMs: Math.max(0, askedMs - lastMs) }
}
