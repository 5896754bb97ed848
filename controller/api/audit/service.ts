import { Readable } from 'node:stream'
import type { AuditEntry, listAudit } from '../../../shared/api/audit.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { pageSizeLimit } from '../../../shared/api/page.ts'
import type { AnswerOf, QueryOf } from '../../../shared/api/route.ts'
import { entriesOf, rangeOf } from '../../audit/reading.ts'
import type { AuditChains } from '../../store/audit.ts'

/** Entries that are looked at for one page; a filter that fits few gives shorter pages. */
const scanLimit = 10_000
const scanBatch = 1_000
const hourMs = 3_600_000
/** Of a report; an hour has more only in a flood of requests that succeed. */
const reportLimit = 20_000

interface Moments {
  readonly start?: string
  readonly end?: string
}

/** Reads the audit of one company. */
export interface AuditReader {
  /** @throws ApiError `invalid_body` */
  page(companyId: string, query: QueryOf<typeof listAudit>): Promise<AnswerOf<typeof listAudit>>
  /** JSON lines, read as they are sent. @throws ApiError `invalid_body` */
  lines(companyId: string, query: Moments): Promise<Readable>
  /** @throws ApiError `invalid_body` for more than an hour */
  report(
    companyId: string,
    query: Moments,
    isWanted: (entry: AuditEntry) => boolean,
  ): Promise<AuditEntry[]>
}

/** Makes the reader of the audit. */
export function createAuditReader(chains: AuditChains): AuditReader {
  return {
    page: (companyId, query) => readPage(chains, companyId, query),
    async lines(companyId, query) {
      // Read now, so that a fault is answered as one, and what comes meanwhile is not in it.
      const range = await rangeOf(chains, companyId, periodOf(query))
      return Readable.from(textOf(entriesOf(chains, companyId, range)))
    },
    async report(companyId, query, isWanted) {
      const range = await rangeOf(chains, companyId, hourOf(query))
      if (range.to - range.from >= reportLimit)
        throw new ApiError(
          'invalid_body',
          `There are more than ${reportLimit} entries in this hour. Ask for less of it, or GET /audit.`,
          { details: { field: 'start' } },
        )
      const entries: AuditEntry[] = []
      for await (const some of entriesOf(chains, companyId, range))
        entries.push(...some.filter(isWanted))
      return entries
    },
  }
}

async function* textOf(batches: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  for await (const entries of batches)
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

async function readPage(
  chains: AuditChains,
  companyId: string,
  query: QueryOf<typeof listAudit>,
): Promise<AnswerOf<typeof listAudit>> {
  const pageSize = Math.min(Number(query.pageSize) || pageSizeLimit, pageSizeLimit)
  const { from, to } = await rangeOf(chains, companyId, periodOf(query))
  const start = query.pageToken ? readToken(query.pageToken) : to
  const isWanted = filterOf(query)
  const items: AuditEntry[] = []
  let next = Math.min(start, to)
  for (let seen = 0; next >= from && items.length < pageSize && seen < scanLimit;) {
    const low = Math.max(from, next - scanBatch + 1)
    const entries = (await chains.read(companyId, { from: low, to: next })).toReversed()
    const wanted = entries.filter(isWanted).slice(0, pageSize - items.length)
    items.push(...wanted)
    seen += next - low + 1
    next = items.length === pageSize ? (items.at(-1)?.sequence ?? low) - 1 : low - 1
  }
  // Pages are not counted: a filter makes them of any length.
  return { pageNumber: 0, pageSize, pageToken: next >= from ? String(next) : null, items }
}

function filterOf({ action, actor }: QueryOf<typeof listAudit>): (entry: AuditEntry) => boolean {
  const name = actor?.trim().toLowerCase()
  return (entry) =>
    (!action ||
      entry.action === action ||
      (action.endsWith('.') && entry.action.startsWith(action))) &&
    (!name || entry.actor.name.toLowerCase() === name || entry.actor.id === name)
}

function readToken(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new ApiError(
    'invalid_body',
    `pageToken cannot be "${text.slice(0, 60)}". Give that of the page before.`,
    { details: { field: 'pageToken', value: text.slice(0, 60) } },
  )
}

function periodOf({ start, end }: Moments) {
  return { startMs: readMoment('start', start), endMs: readMoment('end', end) }
}

function hourOf(query: Moments) {
  const { startMs, endMs } = periodOf(query)
  const until = endMs ?? (startMs === undefined ? Date.now() + 1 : startMs + hourMs)
  const since = startMs ?? until - hourMs
  if (until - since <= hourMs) return { startMs: since, endMs: until }
  throw new ApiError(
    'invalid_body',
    'Between start and end there is more than an hour. Allowed: one hour at most; GET /audit has no such limit.',
    { details: { field: 'start', value: query.start?.slice(0, 60), allowed: '1 hour before end' } },
  )
}

function readMoment(field: string, text: string | undefined): number | undefined {
  if (!text) return undefined
  const ms = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isFinite(ms)) return ms
  throw new ApiError(
    'invalid_body',
    `${field} cannot be "${text.slice(0, 60)}". Allowed: a moment such as 2026-11-20T08:00:00.000Z.`,
    { details: { field, value: text.slice(0, 60) } },
  )
}
