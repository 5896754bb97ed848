import type { AuditFilters } from '../../api/audit.ts'

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

function isDay(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d$/.test(value) &&
    Number.isFinite(Date.parse(`${value}T00:00`))
  )
}
