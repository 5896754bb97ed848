import type { AuditEntry } from '../../shared/api/audit.ts'
import type { AuditChains, SequenceRange } from '../store/audit.ts'

/** Entries that are read at once. */
const batchSize = 500

/** A period; without an end, all that was recorded until it is read. */
export interface Period {
  readonly startMs?: number | undefined
  readonly endMs?: number | undefined
}

/** The sequences of the entries of a period, as they are now. */
export async function rangeOf(
  chains: AuditChains,
  companyId: string | undefined,
  { startMs, endMs }: Period,
): Promise<SequenceRange> {
  const { sequence: last } = await chains.head(companyId)
  const [oldest] = await chains.read(companyId, { from: 1, to: last, count: 1 })
  const kept = { from: oldest?.sequence ?? last + 1, to: last }
  const at = (timeMs: number) => firstSince(chains, companyId, kept, timeMs)
  return {
    from: startMs === undefined ? kept.from : await at(startMs),
    to: endMs === undefined ? kept.to : (await at(endMs)) - 1,
  }
}

/** The first entry that is not older; times never go backwards in a chain, so a few looks find it. */
async function firstSince(
  chains: AuditChains,
  companyId: string | undefined,
  { from, to }: SequenceRange,
  timeMs: number,
): Promise<number> {
  let [low, high] = [from, to + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [entry] = await chains.read(companyId, { from: middle, to, count: 1 })
    if (entry && Date.parse(entry.time) < timeMs) low = Math.max(entry.sequence, middle) + 1
    else high = middle
  }
  return low
}

/** The entries of a range, the oldest first, some at a time. */
export async function* entriesOf(
  chains: AuditChains,
  companyId: string | undefined,
  { from, to }: SequenceRange,
): AsyncGenerator<AuditEntry[]> {
  for (let next = from; next <= to;) {
    const entries = await chains.read(companyId, { from: next, to, count: batchSize })
    const last = entries.at(-1)
    if (!last) return
    yield entries
    // Whatever an entry that was tampered with says of its place.
    next = Math.max(last.sequence, next) + 1
  }
}
