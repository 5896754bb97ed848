import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AuditEntry } from '../../shared/api/audit.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import { noHead, type AuditChains, type ChainHead } from '../store/audit.ts'
import type { AuditHasher, UnhashedEntry } from './entry.ts'

/** What is recorded, before it has its place in the chain. */
export type Recorded = Omit<UnhashedEntry, 'sequence' | 'id' | 'time' | 'key' | 'previous'>

export interface ChainWriterDeps {
  readonly chains: AuditChains
  readonly hasher: AuditHasher
  /** Told after each append. */
  readonly onHead: (companyId: string | undefined, head: ChainHead) => void
  /** Told once of what could not be appended at the first try. */
  readonly onTrouble: (entry: Recorded, error: unknown) => void
}

/** Appends to one chain, in the order of the calls, as many entries at once as have come together. */
export interface ChainWriter {
  /** True when the entry is in the chain; false when the first try has failed: it is tried on then. */
  append(entry: Recorded): Promise<boolean>
  /** Resolves when nothing waits any more. */
  readonly idle: Promise<void>
  /** Makes no further try for what cannot be appended. */
  stop(): void
}

const batchLimit = 100
const retryMs = 500
/** Beyond, what cannot be appended is in the log alone. */
const waitingLimit = 10_000

interface Waiting {
  readonly id: string
  readonly entry: Recorded
  readonly atMs: number
  readonly settle: (isAppended: boolean) => void
  hasFailed: boolean
}

/** Makes the writer of a chain. Several controllers may write to it at once. */
export function createChainWriter(
  companyId: string | undefined,
  deps: ChainWriterDeps,
): ChainWriter {
  const waiting: Waiting[] = []
  const stopped = new AbortController()
  const state = { head: noHead, clockAheadMs: 0 }
  let running: Promise<void> | undefined
  const run = async () => {
    // The same again after a failure: it may have been appended, and what has come since was not with it.
    let size = 0
    while (waiting.length > 0 && !stopped.signal.aborted) {
      size ||= Math.min(batchLimit, waiting.length)
      const batch = waiting.slice(0, size)
      try {
        await appendBatch(companyId, deps, state, batch)
        waiting.splice(0, size)
        size = 0
        for (const { settle } of batch) settle(true)
      } catch (error) {
        for (const one of waiting) trouble(one, error)
        await delay(retryMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    }
    running = undefined
  }
  const trouble = (one: Waiting, error: unknown) => {
    if (one.hasFailed) return
    one.hasFailed = true
    deps.onTrouble(one.entry, error)
    one.settle(false)
  }
  return {
    append: (entry) =>
      new Promise((settle) => {
        const one = { id: randomUUID(), entry, atMs: Date.now(), settle, hasFailed: false }
        if (waiting.length >= waitingLimit) return trouble(one, new Error('too many wait'))
        waiting.push(one)
        running ??= run()
      }),
    get idle() {
      return running ?? Promise.resolve()
    },
    stop: () => stopped.abort(),
  }
}

/** Chains the entries to the head and appends them; anew when somebody else was faster. */
async function appendBatch(
  companyId: string | undefined,
  { chains, hasher, onHead }: ChainWriterDeps,
  state: { head: ChainHead; clockAheadMs: number },
  batch: readonly Waiting[],
): Promise<void> {
  for (;;) {
    const entries = chained(hasher, state, batch)
    const { isAppended, head, nowMs } = await chains.append(companyId, state.head, entries)
    const isOurs = isAppended || (await isThere(chains, companyId, entries))
    state.clockAheadMs = nowMs - Date.now()
    state.head = head
    if (!isOurs) continue
    onHead(companyId, head)
    return
  }
}

/** True when an earlier try, whose answer was lost, has done it. */
async function isThere(
  chains: AuditChains,
  companyId: string | undefined,
  [first]: readonly AuditEntry[],
): Promise<boolean> {
  if (!first) return true
  const [found] = await chains.read(companyId, { from: first.sequence, to: first.sequence })
  return found?.hash === first.hash
}

function chained(
  hasher: AuditHasher,
  { head, clockAheadMs }: { head: ChainHead; clockAheadMs: number },
  batch: readonly Waiting[],
): AuditEntry[] {
  const entries: AuditEntry[] = []
  for (const { id, entry, atMs } of batch) {
    const before = entries.at(-1)
    const previous = before?.hash ?? head.hash
    // By Redis' clock, and never before the entry before: a chain can be searched by time.
    const timeMs = Math.max(atMs + clockAheadMs, before ? Date.parse(before.time) : head.timeMs)
    const unhashed: UnhashedEntry = {
      sequence: (before?.sequence ?? head.sequence) + 1,
      id,
      time: timestamp(timeMs),
      ...entry,
      key: hasher.keyId,
      previous: previous === '' ? null : previous,
    }
    entries.push({ ...unhashed, hash: hasher.hash(unhashed) })
  }
  return entries
}
