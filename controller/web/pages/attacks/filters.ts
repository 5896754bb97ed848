import type { Attack } from '../../../../shared/api/records.ts'

/** What the address of the list says. What is not in it is not filtered by. */
export interface Filters {
  readonly state?: 'active' | 'over' | undefined
  readonly type?: string | undefined
  /** In a target, user, id or argument. */
  readonly text?: string | undefined
}

/** The filters of an address; what makes no sense is left out. */
export function readFilters({ state, type, text }: Record<string, unknown>): Filters {
  return {
    ...(state === 'active' || state === 'over' ? { state } : {}),
    ...(typeof type === 'string' && type !== '' ? { type } : {}),
    ...(typeof text === 'string' && text !== '' ? { text: text.slice(0, 200) } : {}),
  }
}

/** Whether the list shows it; the state is up to the server. */
export function fits(attack: Attack, { type, text }: Filters): boolean {
  if (type !== undefined && attack.command_type !== type) return false
  if (text === undefined) return true
  const wanted = text.toLowerCase()
  const { guid, create_user, targets, args, target_containers } = attack
  const all = [guid, create_user, ...targets, ...args, ...Object.values(target_containers).flat()]
  return all.some((one) => one.toLowerCase().includes(wanted))
}
