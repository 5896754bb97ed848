import type { Logger } from 'pino'
import { createHeadLog } from '../audit/head-log.ts'
import type { Audit } from '../audit/audit.ts'
import { rangeOf } from '../audit/reading.ts'
import type { Store } from '../store/store.ts'

const everyMs = 60_000
/** All controllers together remove what is too old this often. */
const cutEverySeconds = 3_600
const dayMs = 86_400_000

export interface AuditCareDeps {
  readonly store: Pick<Store, 'audit' | 'companies'>
  readonly audit: Audit
  readonly logger: Logger
  /** How long entries are kept; 0 for ever. */
  readonly days: number
}

/**
 * Once a minute logs the heads that nobody here logged: those of commands on the controller's host, and of a
 * controller that ended between appending and logging. Once an hour removes what is too old.
 */
export function startAuditCare(deps: AuditCareDeps): { close(): void } {
  const logged = new Map<string | undefined, number>()
  const care = async () => {
    await logHeads(deps, logged)
    if (deps.days > 0 && (await deps.store.audit.takeTurn(cutEverySeconds))) await cutAll(deps)
  }
  const run = () => care().catch((err: unknown) => deps.logger.warn({ err }, 'care of the audit'))
  const timer = setInterval(() => void run(), everyMs).unref()
  void run()
  return { close: () => clearInterval(timer) }
}

async function chainsOf({ store }: AuditCareDeps): Promise<(string | undefined)[]> {
  return [undefined, ...(await store.companies.allIds())]
}

async function logHeads(deps: AuditCareDeps, logged: Map<string | undefined, number>) {
  const log = createHeadLog(deps.logger)
  for (const companyId of await chainsOf(deps)) {
    const head = await deps.store.audit.head(companyId)
    if (head.sequence === (logged.get(companyId) ?? 0)) continue
    logged.set(companyId, head.sequence)
    log(companyId, head)
  }
}

/** Removes entries older than they are kept from every chain. */
async function cutAll(deps: AuditCareDeps): Promise<void> {
  const beforeMs = Date.now() - deps.days * dayMs
  for (const companyId of await chainsOf(deps)) await cutChain(deps, companyId, beforeMs)
}

/** The chain says first what goes, so that it still verifies: an entry holds the hash of the last one. */
export async function cutChain(
  { store: { audit: chains }, audit }: Pick<AuditCareDeps, 'store' | 'audit'>,
  companyId: string | undefined,
  beforeMs: number,
): Promise<void> {
  const { from, to } = await rangeOf(chains, companyId, { endMs: beforeMs })
  const [last] = await chains.read(companyId, { from: to, to })
  if (to < from || !last) return
  const isTold = await audit.record({
    action: 'audit.cut',
    actor: { kind: 'system', id: null, name: 'controller' },
    companyId,
    detail: { through: last.sequence, hash: last.hash, entries: to - from + 1 },
  })
  if (isTold) await chains.trim(companyId, to + 1)
}
