import { Type } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'
import { Timestamp } from './timestamp.ts'

const Series = Type.Array(Type.Object({ timestamp: Timestamp, value: Type.Number() }))
const Range = Type.Object({ start: Timestamp, end: Nullable(Timestamp) })

/** What was measured while an attack ran. */
export const AttackMetrics = Type.Object(
  {
    state: Type.Enum(['PENDING', 'NO_DATA', 'PARTIAL', 'COMPLETE']),
    infraCommandType: Type.String(),
    chartTitle: Type.String(),
    unit: Type.String(),
    attackRange: Range,
    range: Range,
    metricData: Type.Object({ series: Series }, { description: 'The mean of all targets.' }),
    lines: Type.Array(
      Type.Object({
        executionId: Type.String(),
        name: Type.String({ description: 'The host, or host/container.' }),
        requested: Nullable(Type.Number()),
        series: Series,
      }),
    ),
  },
  { title: 'AttackMetrics' },
)

export const readAttackMetrics = defineRoute({
  operationId: 'readAttackMetrics',
  method: 'GET',
  path: '/metrics/attacks/:guid',
  tag: 'metrics',
  summary: 'The effect of an attack as it was measured, about once a second.',
  access: 'EXPERIMENTS_READ',
  query: TeamQuery,
  params: Type.Object({ guid: Type.String() }),
  success: { status: 200, schema: AttackMetrics },
  errors: ['attack_not_found'],
})
