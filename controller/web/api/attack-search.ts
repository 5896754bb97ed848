import {
  pageActiveAttacks,
  pageAttacks,
  pageCompletedAttacks,
} from '../../../shared/api/attacks.ts'
import type { Attack } from '../../../shared/api/records.ts'
import { fitsFilter } from '../../../shared/attack-filter.ts'
import { isOver } from '../../../shared/attack-words.ts'
import { isTerminal, lifecycleOf, stages, type Stage } from '../../../shared/stages.ts'
import type { AttackSearch, AttackState } from './attack-states.ts'
import { periodOf } from './period.ts'

const stagesOf: Partial<Record<AttackState, readonly Stage[]>> = {
  successful: ['Successful'],
  halted: ['UserHalted'],
  failed: stages.filter((stage) => isTerminal(stage) && lifecycleOf(stage) === 'Error'),
}

/** The list that holds them. */
export function routeOf({ state }: AttackSearch) {
  if (state === undefined) return pageAttacks
  return state === 'active' ? pageActiveAttacks : pageCompletedAttacks
}

/** What to ask that list for. */
export function searchQuery({ state, type, text, from, to }: AttackSearch) {
  const { start: startTime, end } = periodOf({ from, to })
  const endTime = end && String(Date.parse(end) - 1)
  const stage = state && stagesOf[state]?.join(',')
  const query = { startTime, endTime, type, text, stage }
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined),
  ) as Partial<Record<keyof typeof query, string>>
}

/** Whether the list would hold it. */
export function fitsSearch(attack: Attack, search: AttackSearch): boolean {
  const { state, type, text } = search
  const { start, end } = periodOf(search)
  if (state !== undefined && isOver(attack) !== (state !== 'active')) return false
  if (start !== undefined && attack.created_at < start) return false
  if (end !== undefined && attack.created_at >= end) return false
  return fitsFilter(attack, { type, text, stages: state && stagesOf[state] })
}
