import type { Static } from 'typebox'
import { readAttackMetrics, type AttackMetrics } from '../../../shared/api/metrics.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import { findAttackType } from '../../../shared/attacks/index.ts'
import { isTerminal } from '../../../shared/stages.ts'
import type { Router } from '../../plugins/routes.ts'
import { attackNotFound } from '../../records/not-found.ts'
import type { ExecutionRecord, SeriesPoint } from '../../store/executions.ts'
import type { Store } from '../../store/store.ts'

/** What was measured while attacks ran. */
export function addMetricsRoutes(router: Router, { store }: { store: Store }): void {
  router.add(readAttackMetrics, async ({ team, params }) => {
    const record = await store.attacks.find(team.id, params.guid)
    if (!record) throw attackNotFound(params.guid)
    const [executions = []] = await store.executions.ofAttacks(team.id, [record.id])
    const all = await Promise.all(executions.map(({ id }) => store.executions.series(team.id, id)))
    const isOver = executions.every((execution) => isTerminal(execution.stage))
    const endMs = isOver ? Math.max(...executions.map((one) => one.endMs ?? 0)) : undefined
    const range = { start: timestamp(record.createdMs), end: endMs ? timestamp(endMs) : null }
    return {
      state: stateOf(all, isOver),
      infraCommandType: record.type,
      chartTitle: `${findAttackType(record.type)?.title ?? record.type}: asked and measured`,
      unit: executions.find((one) => one.requested)?.requested?.unit ?? '',
      attackRange: range,
      range,
      metricData: { series: meanBySecond(all) },
      lines: executions.map((execution, index) => ({
        executionId: execution.id,
        name: nameOf(execution),
        requested: execution.requested?.value ?? null,
        series: (all[index] ?? []).map(toPoint),
      })),
    }
  })
}

function stateOf(
  all: readonly SeriesPoint[][],
  isOver: boolean,
): Static<typeof AttackMetrics>['state'] {
  const withData = all.filter((points) => points.length > 0).length
  if (withData === 0) return isOver ? 'NO_DATA' : 'PENDING'
  return isOver && withData === all.length ? 'COMPLETE' : 'PARTIAL'
}

function nameOf({ host, containerName }: ExecutionRecord): string {
  return containerName ? `${host}/${containerName}` : host
}

function toPoint({ atMs, value }: SeriesPoint) {
  return { timestamp: timestamp(atMs), value }
}

/** The mean of what the targets reported in the same second. */
function meanBySecond(all: readonly SeriesPoint[][]) {
  const bySecond = Map.groupBy(all.flat(), ({ atMs }) => Math.floor(atMs / 1000) * 1000)
  return [...bySecond]
    .sort(([a], [b]) => a - b)
    .map(([atMs, points]) =>
      toPoint({ atMs, value: points.reduce((sum, one) => sum + one.value, 0) / points.length }),
    )
}
