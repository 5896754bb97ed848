import { lookLimit, type AttackPageQuery } from '../../../shared/api/attacks.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import type { Attack } from '../../../shared/api/records.ts'
import { fitsFilter, mayFit, type AttackFilter } from '../../../shared/attack-filter.ts'
import { toAttack } from '../../records/attacks.ts'
import type { AttackRecord } from '../../store/attack-record.ts'
import type { ListEdge, ListedAttacks } from '../../store/attack-list.ts'
import type { Store } from '../../store/store.ts'
import { isWanted, readFilter, readPeriod, sizeOf } from './list-query.ts'

type ListState = ListedAttacks['state']

interface Page {
  pageNumber: number
  pageSize: number
  pageToken: string | null
  items: Attack[]
}

/** The lists of attacks, whole and by page. */
export interface AttackLists {
  list(
    teamId: string,
    state: ListState,
    query: { readonly source?: string; readonly pageSize?: string },
  ): Promise<Attack[]>
  /** @throws ApiError `invalid_body` for a time or a stage that is none */
  page(teamId: string, state: ListState, query: AttackPageQuery): Promise<Page>
}

/** At so many targets a filtered page is handed out as it is: each of them was read. */
const targetLimit = 20_000
/** Attacks that are read at once to be filtered. */
const chunk = 100

/** What one page holds. */
interface Found {
  readonly items: Attack[]
  /** The last attack that was looked at, when there may be more. */
  readonly last: ListEdge | undefined
}

/** Where a page goes on. */
interface Place {
  readonly teamId: string
  readonly listed: ListedAttacks
  readonly size: number
  readonly after: ListEdge | undefined
}

/** Makes the lists of attacks. */
export function createAttackLists(store: Store): AttackLists {
  return {
    async list(teamId, state, query) {
      if (!isWanted(query.source)) return []
      const place = { teamId, listed: { state }, size: sizeOf(query), after: undefined }
      return (await newest(store, place)).items
    },
    async page(teamId, state, query) {
      const size = sizeOf(query)
      const listed = { state, ...readPeriod(query) }
      const filter = readFilter(query)
      const { number, after } = readToken(query.pageToken)
      if (query.pageToken && !after) throw badToken()
      const place = { teamId, listed, size, after }
      const found = !isWanted(query.source)
        ? { items: [], last: undefined }
        : filter
          ? await filtered(store, place, filter)
          : await newest(store, place)
      return {
        pageNumber: number,
        pageSize: size,
        pageToken: found.last ? `${number + 1}.${found.last.id}.${found.last.createdMs}` : null,
        items: found.items,
      }
    },
  }
}

async function newest(store: Store, place: Place): Promise<Found> {
  const { teamId, size, after } = place
  const records = await readAfter(store, place, size + 1, after)
  const items = await present(store, teamId, records.slice(0, size))
  return { items, last: records.length > size ? records[size - 1] : undefined }
}

/** Looks at a bounded number of attacks, however few of them fit. */
async function filtered(store: Store, place: Place, filter: AttackFilter): Promise<Found> {
  const items: Attack[] = []
  let last = place.after
  let targets = 0
  for (let looked = 0; looked < lookLimit && targets < targetLimit; looked += chunk) {
    const records = await readAfter(store, place, chunk, last)
    const byId = new Map(records.map((record) => [record.id, record]))
    const possible = records.filter((record) => mayFit(record, filter))
    for (const attack of await present(store, place.teamId, possible)) {
      targets += attack.targets.length
      if (!fitsFilter(attack, filter)) continue
      items.push(attack)
      if (items.length === place.size) return { items, last: byId.get(attack.guid) }
    }
    if (records.length < chunk) return { items, last: undefined }
    last = records.at(-1)
  }
  return { items, last }
}

async function present(
  store: Store,
  teamId: string,
  records: readonly AttackRecord[],
): Promise<Attack[]> {
  const ids = records.map((record) => record.id)
  const executions = await store.executions.briefOfAttacks(teamId, ids)
  return records.map((record, index) => toAttack(record, executions[index] ?? []))
}

async function readAfter(
  store: Store,
  { teamId, listed }: Place,
  limit: number,
  after: ListEdge | undefined,
): Promise<AttackRecord[]> {
  const records = await store.attacks.list(teamId, listed, limit, after)
  if (!records) throw badToken()
  return records
}

/** The number of the page, and the attack before it with the time of its creation. */
function readToken(token: string | undefined): { number: number; after: ListEdge | undefined } {
  const [number, id, createdMs = ''] = token?.split('.') ?? []
  const isTime = /^\d{1,15}$/.test(createdMs)
  return {
    number: Number(number ?? '1'),
    after: id ? { id, createdMs: isTime ? Number(createdMs) : undefined } : undefined,
  }
}

function badToken(): ApiError {
  return new ApiError(
    'invalid_body',
    'pageToken is not one of this list. Begin again without it.',
    {
      details: { field: 'pageToken' },
    },
  )
}
