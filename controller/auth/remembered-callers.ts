import type { Caller } from './access.ts'

/** For so long somebody is known without storage. */
const rememberedForMs = 10 * 60_000
const mostRemembered = 1_000

/** Who was let in lately, for the one thing that must not wait for storage: to end attacks. */
export interface RememberedCallers {
  /** By the keyed hash of what they showed; until that expires, at the latest. */
  remember(hash: string, caller: Caller, expiresMs: number | undefined): void
  /** What was shown lets nobody in any more. */
  forget(hash: string): void
  find(hash: string): Caller | undefined
}

/** Makes an empty memory; with too many in it the longest known go. */
export function createRememberedCallers(): RememberedCallers {
  const known = new Map<string, { caller: Caller; untilMs: number }>()
  return {
    remember(hash, caller, expiresMs = Infinity) {
      known.delete(hash)
      known.set(hash, { caller, untilMs: Math.min(Date.now() + rememberedForMs, expiresMs) })
      const [oldest] = known.keys()
      if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
    },
    forget: (hash) => void known.delete(hash),
    find(hash) {
      const one = known.get(hash)
      return one && one.untilMs > Date.now() ? { ...one.caller, isRemembered: true } : undefined
    },
  }
}
