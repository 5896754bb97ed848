import type { Attack, Execution } from './api/records.ts'
import type { Effect } from './effect.ts'

/** The name of a target for people: `web-1`, or `web-1/checkout` for a container. */
export function targetName(
  execution: Pick<Execution, 'client_id' | 'guest_id' | 'guest_name'>,
): string {
  const guest = execution.guest_name ?? execution.guest_id?.slice(0, 12)
  return guest ? `${execution.client_id}/${guest}` : execution.client_id
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
