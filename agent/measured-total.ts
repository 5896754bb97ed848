import type { Effect } from '../shared/effect.ts'
import type { Measurement } from './faults/fault.ts'

/**
 * The effect over the whole attack, when it was carried by one fault after another (a target that
 * restarted): the mean of every figure, weighted by time. Gaps between them do not count.
 */
export function totalEffect(parts: readonly Measurement[]): Effect | undefined {
  const [first] = parts
  if (!first) return undefined
  const totalMs = parts.reduce((sum, part) => sum + part.wholeMs, 0)
  const mean = (pick: (effect: Effect) => number) =>
    parts.reduce((sum, part) => sum + pick(part.whole) * part.wholeMs, 0) / totalMs
  const names = Object.keys(first.whole.detail)
  const detail = Object.fromEntries(
    names.map((name) => [name, round(mean((effect) => effect.detail[name] ?? 0))]),
  )
  detail['window_seconds'] = round(totalMs / 1000)
  return { ...first.whole, value: round(mean((effect) => effect.value)), detail }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
