import type { AuditFilters } from '../../api/audit.ts'
import { isDay } from '../../api/period.ts'

/** The filters of an address; what makes no sense is left out. */
export function readAuditFilters({
  action,
  actor,
  from,
  to,
}: Record<string, unknown>): AuditFilters {
  return {
    ...(typeof action === 'string' && action !== '' ? { action: action.slice(0, 60) } : {}),
    ...(typeof actor === 'string' && actor !== '' ? { actor: actor.slice(0, 254) } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
  }
}
