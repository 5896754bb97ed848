import { infiniteQueryOptions } from '@tanstack/react-query'
import { exportAudit, listAudit } from '../../../shared/api/audit.ts'
import type { WebApi } from './create-api.ts'
import { periodOf } from './period.ts'

/** What the audit is narrowed down to. */
export interface AuditFilters {
  /** One action, or `host.` for all of a kind. */
  readonly action?: string | undefined
  readonly actor?: string | undefined
  /** Days, as 2030-01-31; both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const pageSize = '50'

/** The audit of the company, the newest first, a page at a time. */
export function auditQuery(api: WebApi, filters: AuditFilters) {
  const { action, actor } = filters
  return infiniteQueryOptions({
    queryKey: ['audit', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: pageToken, signal }) =>
      api.call(listAudit, {
        query: { ...periodOf(filters), action, actor, pageSize, pageToken },
        signal,
      }),
    getNextPageParam: (last) => last.pageToken ?? undefined,
  })
}

/** The audit of these days as JSON lines. */
export async function readAuditFile(api: WebApi, filters: AuditFilters): Promise<Blob> {
  return await (await api.open(exportAudit, { query: periodOf(filters) })).blob()
}
