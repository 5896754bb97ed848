import {
  exportAudit,
  listAudit,
  readAccessReport,
  readEventReport,
} from '../../../shared/api/audit.ts'
import { isAccess } from '../../../shared/audit-actions.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { createAuditReader } from './service.ts'

/** The audit of the caller's company, and of no other. */
export function addAuditRoutes(router: Router, { store }: { store: Store }): void {
  const reader = createAuditReader(store.audit)
  router.add(listAudit, ({ caller, query }) => reader.page(caller.company.id, query))
  router.add(exportAudit, async ({ caller, query, reply, audit }) => {
    reply.header('cache-control', 'no-store')
    audit.detail({ start: query.start, end: query.end })
    // The framework sends what it reads from a stream.
    return (await reader.lines(caller.company.id, query)) as unknown as string
  })
  router.add(readAccessReport, ({ caller, query }) =>
    reader.report(caller.company.id, query, ({ action }) => isAccess(action)),
  )
  router.add(readEventReport, ({ caller, query }) =>
    reader.report(caller.company.id, query, ({ action }) => !isAccess(action)),
  )
}
