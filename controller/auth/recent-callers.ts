import type { Shown } from './access.ts'

/** So long a look-up may be used again, whatever becomes of the news of changes. */
const recentForMs = 1_000
const mostRecent = 10_000
/**
 * Redis must have answered a look-up not longer ago than this: what is asked of one that is frozen would be done when
 * it thaws, long after whoever asked was told that nothing was changed.
 */
const answeredWithinMs = 20

/**
 * Who was let in a moment ago, by the keyed hash of what they showed. It forgets whatever somebody has changed since,
 * and keeps nothing while changes are not heard.
 */
export interface RecentCallers {
  find(hash: string): Shown | undefined
  /** To be called before a look-up. The answer keeps what was found, unless something has changed meanwhile. */
  begin(): (hash: string, shown: Shown) => void
  /** These keys of Redis were changed; undefined when it may be any. */
  changed(keys: readonly string[] | undefined): void
}

interface Entry {
  readonly shown: Shown
  readonly untilMs: number
}

/** What concerns one session or key alone; its id or hash is the last part. */
const ofOne = /^temblor:(session|session-token|api-key|\{u:[^}]+\}:api-key):/

/** Makes an empty memory; with too many in it the longest known go. */
export function createRecentCallers(isHeard: () => boolean): RecentCallers {
  const byHash = new Map<string, Entry>()
  const hashes = new Map<string, string>()
  let generation = 0
  let answeredMs = -Infinity
  const forget = (hash: string): void => {
    const id = byHash.get(hash)?.shown.found?.record.id
    if (id !== undefined) hashes.delete(id)
    byHash.delete(hash)
  }
  return {
    find(hash) {
      const entry = byHash.get(hash)
      const isAnswering = performance.now() - answeredMs < answeredWithinMs
      if (!entry || !isAnswering || !isHeard()) return undefined
      if (entry.untilMs > Date.now() && performance.now() - entry.shown.atMs < recentForMs)
        return entry.shown
      forget(hash)
      return undefined
    },
    begin() {
      const begun = generation
      return (hash, shown) => {
        answeredMs = performance.now()
        if (begun !== generation || !shown.found || !isHeard()) return
        const { id, expiresMs = Infinity } = shown.found.record
        forget(hash)
        byHash.set(hash, { shown, untilMs: Math.min(Date.now() + recentForMs, expiresMs) })
        hashes.set(id, hash)
        const [oldest] = byHash.keys()
        if (byHash.size > mostRecent && oldest !== undefined) forget(oldest)
      }
    },
    changed(keys) {
      generation += 1
      for (const key of keys ?? ['']) {
        if (!ofOne.test(key)) {
          byHash.clear()
          hashes.clear()
          return
        }
        const last = key.slice(key.lastIndexOf(':') + 1)
        forget(hashes.get(last) ?? last)
      }
    },
  }
}
