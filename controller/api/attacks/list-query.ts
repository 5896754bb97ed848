import type { AttackPageQuery } from '../../../shared/api/attacks.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { pageSizeLimit } from '../../../shared/api/page.ts'
import type { AttackFilter } from '../../../shared/attack-filter.ts'
import { isStage, stages, type Stage } from '../../../shared/stages.ts'

/** Whether attacks of this source are wanted. There are no scenarios yet. @throws ApiError */
export function isWanted(source: string | undefined): boolean {
  const kind = source?.toLowerCase() || 'adhoc'
  if (kind === 'adhoc' || kind === 'scenario') return kind === 'adhoc'
  const value = (source ?? '').slice(0, 100)
  throw new ApiError(
    'invalid_body',
    `source cannot be "${value}". Allowed: Adhoc or Scenario, or nothing for all.`,
    { details: { field: 'source', value, allowed: 'Adhoc, Scenario' } },
  )
}

/** How many at most. */
export function sizeOf({ pageSize }: { readonly pageSize?: string }): number {
  return Math.min(pageSizeLimit, Math.max(1, Number(pageSize || pageSizeLimit)))
}

/** When they were created, epoch ms. @throws ApiError for a time that is none */
export function readPeriod({ startTime, endTime }: AttackPageQuery): {
  fromMs: number
  toMs: number
} {
  return {
    fromMs: readTime('startTime', startTime, 0),
    toMs: readTime('endTime', endTime, Infinity),
  }
}

/** What a query wants of attacks; undefined when it wants all. @throws ApiError for an unknown stage */
export function readFilter(query: AttackPageQuery): AttackFilter | undefined {
  const filter = {
    type: query.type || undefined,
    stages: query.stage ? query.stage.split(',').map(readStage) : undefined,
    user: query.user || undefined,
    host: query.host || undefined,
    text: query.text || undefined,
  }
  return Object.values(filter).some((value) => value !== undefined) ? filter : undefined
}

function readStage(text: string): Stage {
  if (isStage(text)) return text
  const allowed = stages.join(', ')
  throw new ApiError('invalid_body', `stage cannot be "${text}". Allowed: ${allowed}.`, {
    details: { field: 'stage', value: text, allowed },
  })
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
