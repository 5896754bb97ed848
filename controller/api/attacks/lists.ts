import type { Static } from 'typebox'
import type { rangeAttacks } from '../../../shared/api/attacks.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { pageSizeLimit } from '../../../shared/api/page.ts'
import type { Attack } from '../../../shared/api/records.ts'
import { toAttack } from '../../records/attacks.ts'
import type { AttackRecord } from '../../store/attack-record.ts'
import type { AttackFilter } from '../../store/attacks.ts'
import type { Store } from '../../store/store.ts'

interface ListQuery {
  readonly source?: string
  readonly pageSize?: string
  readonly pageToken?: string
}

interface Page {
  pageNumber: number
  pageSize: number
  pageToken: string | null
  items: Attack[]
}

/** The lists of attacks, whole and by page. */
export interface AttackLists {
  list(teamId: string, filter: AttackFilter, query: ListQuery): Promise<Attack[]>
  page(teamId: string, filter: AttackFilter, query: ListQuery): Promise<Page>
  /** @throws ApiError `invalid_body` for a time that is none */
  range(teamId: string, query: Static<(typeof rangeAttacks)['query']>): Promise<Page>
}

/** Makes the lists of attacks. */
export function createAttackLists(store: Store): AttackLists {
  const present = async (teamId: string, records: readonly AttackRecord[]): Promise<Attack[]> => {
    const ids = records.map((record) => record.id)
    const executions = await store.executions.ofAttacks(teamId, ids)
    return records.map((record, index) => toAttack(record, executions[index] ?? []))
  }
  const list: AttackLists['list'] = async (teamId, filter, query) => {
    if (!isWanted(query.source)) return []
    const records = await store.attacks.list(teamId, filter, sizeOf(query))
    return await present(teamId, records ?? [])
  }
  const page: AttackLists['page'] = async (teamId, filter, query) => {
    const size = sizeOf(query)
    const [number = '1', after] = query.pageToken?.split('.') ?? []
    const records = isWanted(query.source)
      ? await store.attacks.list(teamId, filter, size + 1, after)
      : []
    if (!records || (query.pageToken && !after))
      throw new ApiError(
        'invalid_body',
        'pageToken is not one of this list. Begin again without it.',
        { details: { field: 'pageToken' } },
      )
    const items = await present(teamId, records.slice(0, size))
    const isLast = records.length <= size
    const pageToken = isLast ? null : `${Number(number) + 1}.${items.at(-1)?.guid}`
    return { pageNumber: Number(number), pageSize: size, pageToken, items }
  }
  return {
    list,
    page,
    range: (teamId, query) =>
      page(
        teamId,
        {
          fromMs: readTime('startTime', query.startTime, 0),
          toMs: readTime('endTime', query.endTime, Infinity),
        },
        query,
      ),
  }
}

/** There are no scenarios yet, so a list of their attacks is empty. @throws ApiError */
function isWanted(source: string | undefined): boolean {
  const kind = source?.toLowerCase() || 'adhoc'
  if (kind === 'adhoc' || kind === 'scenario') return kind === 'adhoc'
  const value = (source ?? '').slice(0, 100)
  throw new ApiError(
    'invalid_body',
    `source cannot be "${value}". Allowed: Adhoc or Scenario, or nothing for all.`,
    { details: { field: 'source', value, allowed: 'Adhoc, Scenario' } },
  )
}

function sizeOf({ pageSize }: ListQuery): number {
  return Math.min(pageSizeLimit, Math.max(1, Number(pageSize || pageSizeLimit)))
}

function readTime(field: string, text: string | undefined, fallback: number): number {
  if (!text) return fallback
  const time = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isFinite(time)) return time
  const value = text.slice(0, 100)
  throw new ApiError(
    'invalid_body',
    `${field} cannot be "${value}". Allowed: an ISO 8601 time, or epoch milliseconds.`,
    { details: { field, value } },
  )
}
