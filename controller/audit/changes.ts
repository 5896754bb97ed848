import type { Fact, Facts } from './audit.ts'

/** The fields that differ, as they were and as they are. */
export function changesOf(
  before: object,
  after: object,
): { readonly old: Facts; readonly new: Facts } {
  const [old, now] = [before, after] as [Record<string, Fact>, Record<string, Fact>]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  )
  const pick = (from: Record<string, Fact>) =>
    Object.fromEntries(names.map((name) => [name, from[name] ?? null]))
  return { old: pick(old), new: pick(now) }
}
