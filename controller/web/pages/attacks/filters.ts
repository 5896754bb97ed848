import { attackStates, type AttackSearch } from '../../api/attack-states.ts'
import { isDay } from '../../api/period.ts'

/** The filters of an address; what makes no sense is left out. */
export function readFilters({
  state,
  type,
  text,
  from,
  to,
}: Record<string, unknown>): AttackSearch {
  const known = attackStates.find((one) => one === state)
  // The router reads a text of digits as a number.
  const words = typeof text === 'number' ? String(text) : text
  return {
    ...(known ? { state: known } : {}),
    ...(typeof type === 'string' && type !== '' ? { type: type.slice(0, 100) } : {}),
    ...(typeof words === 'string' && words !== '' ? { text: words.slice(0, 200) } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
  }
}
