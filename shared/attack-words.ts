import type { Attack, Execution } from './api/records.ts'
import type { Effect } from './effect.ts'

/** The name of a target for people: `web-1`, or `web-1/checkout` for a container. */
export function targetName(
  execution: Pick<Execution, 'client_id' | 'guest_id' | 'guest_name'>,
): string {
  const guest = execution.guest_name ?? execution.guest_id?.slice(0, 12)
  return guest ? `${execution.client_id}/${guest}` : execution.client_id
}

/** What an execution says at its end when nothing is to be said beyond its stage. */
export const plainEnds = { completed: 'Ended after its length.', halted: 'Halted.' } as const

/** What people should read of how an execution ended; '' when its stage says it all. */
export function remarkOf({ output }: Pick<Execution, 'output'>): string {
  return Object.values<string>(plainEnds).includes(output) ? '' : output
}

/** A quantity for people: `24.9 %`. */
export function formatEffect(effect: Pick<Effect, 'value' | 'unit'> | null): string {
  if (!effect) return '-'
  const unit = effect.unit === 'percent_of_capacity' ? '%' : effect.unit.replaceAll('_', ' ')
  return `${effect.value.toFixed(1)} ${unit}`
}

/** Whether every target is done. */
export function isOver(attack: Pick<Attack, 'stage_lifecycle'>): boolean {
  return attack.stage_lifecycle === 'Complete' || attack.stage_lifecycle === 'Error'
}
