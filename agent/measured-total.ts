import type { Effect } from '../shared/effect.ts'
import type { Measurement } from './faults/fault.ts'

/**
 * The effect over the whole attack, when it was carried by one fault after another (a target that
 * restarted): counts are added up, every other figure is the mean, weighted by time. Gaps between
 * them do not count.
 */
export function totalEffect(all: readonly Measurement[]): Effect | undefined {
  const [first] = all
  if (!first) return undefined
  const parts = all.filter(({ whole }) => whole.metric === first.whole.metric)
  const totalMs = parts.reduce((sum, part) => sum + part.wholeMs, 0)
  const total = (name: string, pick: (effect: Effect) => number) =>
    isCount(name)
      ? parts.reduce((sum, part) => sum + pick(part.whole), 0)
      : parts.reduce((sum, part) => sum + pick(part.whole) * part.wholeMs, 0) / totalMs
  const names = Object.keys(first.whole.detail)
  const detail = Object.fromEntries(
    names.map((name) => [name, round(total(name, (effect) => effect.detail[name] ?? 0))]),
  )
  detail['window_seconds'] = round(totalMs / 1000)
  return { ...first.whole, value: round(total(first.whole.unit, (effect) => effect.value)), detail }
}

/** Whether a figure, or what has this unit, counts something. */
function isCount(name: string): boolean {
  return /(^|_)(packets|bytes|probes)$/.test(name)
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
