import type { AttackRecord } from '../../store/attack-record.ts'
import type { ExecutionBrief } from '../../store/execution-record.ts'
import type { Store } from '../../store/store.ts'

/** The executions of an attack with more than these are not all read for each of its events. */
const manyTargets = 100
const keptMs = 1_000
/** Attacks that are remembered. */
const most = 100

/** What the attacks of events are told from. */
export interface Summaries {
  /** As they are now; those of an attack with many targets as they were at most a second ago, until it is over. */
  of(attack: AttackRecord): Promise<readonly ExecutionBrief[]>
}

interface Known {
  readonly atMs: number
  /** How many were not over. */
  readonly open: number
  readonly briefs: readonly ExecutionBrief[]
}

/** Makes the memory of what was read last. */
export function createSummaries(store: Pick<Store, 'executions'>): Summaries {
  const known = new Map<string, Known>()
  return {
    async of({ id, teamId, open }) {
      const last = known.get(id)
      const isOverSince = open === 0 && last?.open !== 0
      if (last && !isOverSince && performance.now() - last.atMs < keptMs) return last.briefs
      const atMs = performance.now()
      const [briefs = []] = await store.executions.briefOfAttacks(teamId, [id])
      known.delete(id)
      if (briefs.length > manyTargets) known.set(id, { atMs, open, briefs })
      for (const oldest of [...known.keys()].slice(0, -most)) known.delete(oldest)
      return briefs
    },
  }
}
