import type { AuditEntry } from '../../shared/api/audit.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

/** The newest entry of a chain; sequence 0 and no hash before the first. */
export interface ChainHead {
  readonly sequence: number
  readonly hash: string
  readonly timeMs: number
}

/** What became of an append, the head as it is now, and Redis' clock. */
export interface Appended {
  readonly isAppended: boolean
  readonly head: ChainHead
  readonly nowMs: number
}

/** Chains of the audit: one for each company, one for the installation (`undefined`). */
export interface AuditChains {
  /** Appends all or, when the head is another by now, nothing. */
  append(
    companyId: string | undefined,
    head: ChainHead,
    entries: readonly AuditEntry[],
  ): Promise<Appended>
  head(companyId: string | undefined): Promise<ChainHead>
  /** Entries from one sequence to another, both included, the oldest first. */
  read(companyId: string | undefined, range: SequenceRange): Promise<AuditEntry[]>
  /** All that is stored of a chain, as it is, from its beginning. */
  texts(companyId: string | undefined): AsyncGenerator<string>
  /** Removes the entries before this one. */
  trim(companyId: string | undefined, before: number): Promise<void>
  /** True once in so long for all controllers together. */
  takeTurn(everySeconds: number): Promise<boolean>
}

export interface SequenceRange {
  readonly from: number
  readonly to: number
  /** No more than so many; all unless stated. */
  readonly count?: number
}

/** Before the first entry. */
export const noHead: ChainHead = { sequence: 0, hash: '', timeMs: 0 }

/** Entries that are removed at once: a millisecond of Redis. */
const trimAtOnce = 10_000

const appendAudit = loadScript('append-audit')

/** Opens the store of the audit. */
export function openAuditChains(redis: Redis): AuditChains {
  return {
    async append(companyId, head, entries) {
      const last = entries.at(-1)
      const answer = await appendAudit.run(
        redis,
        [keys.auditHead(companyId), keys.audit(companyId)],
        [
          head.sequence,
          head.hash,
          last ? Date.parse(last.time) : '',
          last?.hash ?? '',
          ...entries.map((entry) => JSON.stringify(entry)),
        ],
      )
      const [ok, sequence, hash, timeMs, nowMs] = answer as [number, string, string, string, number]
      return {
        isAppended: ok === 1,
        head: { sequence: Number(sequence), hash, timeMs: Number(timeMs) },
        nowMs,
      }
    },
    async head(companyId) {
      const fields = await redis.hmget(keys.auditHead(companyId), 'sequence', 'hash', 'time')
      const [sequence, hash, timeMs] = fields
      return { sequence: Number(sequence ?? 0), hash: hash ?? '', timeMs: Number(timeMs ?? 0) }
    },
    async *texts(companyId) {
      for (let after = '-'; ;) {
        const found = await redis.xrange(keys.audit(companyId), after, '+', 'COUNT', 500)
        for (const [, fields] of found) yield fields[1] ?? ''
        const last = found.at(-1)
        if (!last) return
        after = `(${last[0]}`
      }
    },
    async trim(companyId, before) {
      const key = keys.audit(companyId)
      const [oldest] = await redis.xrange(key, '-', '+', 'COUNT', 1)
      for (
        let at = Number.parseInt(oldest?.[0] ?? '', 10) + trimAtOnce;
        at < before;
        at += trimAtOnce
      )
        await redis.xtrim(key, 'MINID', `${at}-0`)
      await redis.xtrim(key, 'MINID', `${before}-0`)
    },
    async takeTurn(everySeconds) {
      return (await redis.set(keys.auditTurn, '1', 'EX', everySeconds, 'NX')) === 'OK'
    },
    async read(companyId, { from, to, count = Number.MAX_SAFE_INTEGER }) {
      if (to < from || count <= 0) return []
      const key = keys.audit(companyId)
      const found = await redis.xrange(key, `${from}-0`, `${to}-0`, 'COUNT', count)
      return found.flatMap(([, fields]) => parsed(fields[1] ?? ''))
    },
  }
}

/** What is no entry is left out; the verification of the chain tells of it. */
function parsed(text: string): AuditEntry[] {
  try {
    return [JSON.parse(text) as AuditEntry]
  } catch {
    return []
  }
}
