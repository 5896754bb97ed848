import { pageSizeLimit } from '../../shared/api/page.ts'

interface PageQuery {
  readonly pageSize?: string
  readonly pageToken?: string
}

/** One page of a list that is read whole; the token is the key of the last item, so that it stays good. */
export function pageOfList<T>(all: readonly T[], key: (item: T) => string, query: PageQuery) {
  const pageSize = Math.min(Number(query.pageSize) || pageSizeLimit, pageSizeLimit)
  const after = query.pageToken ?? ''
  const sorted = all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
  const rest = sorted.filter((item) => key(item) > after)
  const items = rest.slice(0, pageSize)
  const last = items.at(-1)
  return {
    pageNumber: Math.floor((sorted.length - rest.length) / pageSize),
    pageSize,
    pageToken: last !== undefined && rest.length > items.length ? key(last) : null,
    items,
  }
}
