import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AuditActor, AuditEntry, AuditTarget } from '../../shared/api/audit.ts'
import type { AuditAction } from '../../shared/audit-actions.ts'
import type { AuditChains } from '../store/audit.ts'
import { createHeadLog } from './head-log.ts'
import { createChainWriter, type ChainWriter, type Recorded } from './chain-writer.ts'
import { bounded, boundedDetail, type AuditHasher } from './entry.ts'
import { createManyRefusals, usualRefusals, type RefusalLimit } from './many-refusals.ts'

/** What can stand in an entry. */
export type Fact =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Fact[]
  | { readonly [name: string]: Fact }

export type Facts = Readonly<Record<string, Fact>>

/** Something that happened, as whoever did it tells it. Nothing secret belongs in here. */
export interface AuditEvent {
  readonly action: AuditAction
  readonly actor: AuditActor
  /** Address that the request came from. */
  readonly from?: string | undefined
  /** Whose chain it goes to; without one to that of the installation. */
  readonly companyId?: string | undefined
  readonly teamId?: string | undefined
  readonly target?: AuditTarget | undefined
  /** `ok` unless stated. */
  readonly result?: AuditEntry['result']
  /** Why it was refused or failed. */
  readonly code?: string | undefined
  /** `old` and `new` of a change, and what else helps to understand it. */
  readonly detail?: Facts | undefined
}

/** The audit: a hash chain for each company and one for the installation. */
export interface Audit {
  /**
   * Resolves when it is in the chain; of refusals beyond many, only the count comes there. Never rejects:
   * what cannot be appended goes to the log at once, and to the chain as soon as storage is back. True when
   * it is in the chain.
   */
  record(event: AuditEvent): Promise<boolean>
  /** Writes what waits, for some seconds at most. */
  close(): Promise<void>
}

export interface AuditDeps {
  /** The usual ones unless stated. */
  readonly refusals?: RefusalLimit
  readonly chains: AuditChains
  readonly hasher: AuditHasher
  readonly logger: Logger
  /** False where the log is not one that is kept. */
  readonly logsHeads?: boolean
}

const closeWithinMs = 5_000

/** Opens the audit. The head of a chain goes to the log with each append, so that a cut tail shows. */
export function openAudit(deps: AuditDeps): Audit {
  const { chains, hasher, logger, refusals = usualRefusals, logsHeads = true } = deps
  const onHead = logsHeads ? createHeadLog(logger) : () => undefined
  const onTrouble = (entry: Recorded, err: unknown) =>
    logger.error({ err, audit_entry: entry }, 'audit entry is not in its chain yet')
  const writers = new Map<string | undefined, ChainWriter>()
  const writerOf = (companyId: string | undefined): ChainWriter => {
    const known = writers.get(companyId)
    if (known) return known
    const writer = createChainWriter(companyId, { chains, hasher, onHead, onTrouble })
    writers.set(companyId, writer)
    return writer
  }
  const many = createManyRefusals(refusals)
  const append = (event: AuditEvent) => writerOf(event.companyId).append(toRecorded(event))
  const appendCounted = () => Promise.all(many.counted().map(append))
  const timer = setInterval(() => void appendCounted(), refusals.countMs).unref()
  return {
    async record(event) {
      const told = (event.result ?? 'ok') === 'ok' ? event : many.take(event)
      return told ? await append(told) : false
    },
    async close() {
      clearInterval(timer)
      void appendCounted()
      const idle = Promise.all([...writers.values()].map((writer) => writer.idle))
      await Promise.race([idle, delay(closeWithinMs, undefined, { ref: false })])
      for (const writer of writers.values()) writer.stop()
    },
  }
}

function toRecorded(event: AuditEvent): Recorded {
  const { action, actor, from, companyId, teamId, target, result, code, detail } = event
  const fixed = {
    company_id: companyId ?? null,
    team_id: teamId ?? null,
    action,
    result: result ?? 'ok',
    code: code ?? null,
    actor,
    from: from ?? null,
    target: target ?? null,
  }
  return { ...(bounded(fixed) as typeof fixed), detail: boundedDetail(detail ?? {}) }
}
