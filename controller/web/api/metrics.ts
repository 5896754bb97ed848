import { queryOptions } from '@tanstack/react-query'
import type { AnswerOf } from '../../../shared/api/route.ts'
import { readAttackMetrics } from '../../../shared/api/metrics.ts'
import type { WebApi } from './create-api.ts'

export type Metrics = AnswerOf<typeof readAttackMetrics>

/** What was measured while an attack ran. @param everyMs asks again so often; not at all with false */
export function metricsQuery(
  api: WebApi,
  teamId: string,
  attackId: string,
  everyMs: number | false,
) {
  return queryOptions({
    queryKey: ['metrics', teamId, attackId],
    queryFn: ({ signal }) =>
      api.call(readAttackMetrics, { params: { guid: attackId }, query: { teamId }, signal }),
    refetchInterval: everyMs,
  })
}
