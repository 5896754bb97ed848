import type { Static } from 'typebox'
import type { Command } from 'commander'
import type { ApiClient } from '../../../shared/api/client.ts'
import { readAttack } from '../../../shared/api/attacks.ts'
import { listExecutions } from '../../../shared/api/executions.ts'
import { type AttackMetrics, readAttackMetrics } from '../../../shared/api/metrics.ts'
import { signedInClient } from '../credentials.ts'
import { annotationLines, attackLines, type AttackView, stageLines } from '../output/attack-view.ts'
import { chartLines } from '../output/chart.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'

type Metrics = Static<typeof AttackMetrics>

/** `temblor attack show <id>`. */
export function registerAttackShow(attack: Command, io: CliIo): void {
  attack
    .command('show <id>')
    .description('One attack: what was asked and measured on each target, and when.')
    .option('--metrics', 'draw what was measured while it ran')
    .action(async (id: string, options: { metrics?: boolean }) => {
      const { api } = signedInClient(io.env)
      const view = await readView(api, id)
      const metrics = options.metrics
        ? await api.call(readAttackMetrics, { params: { guid: id } })
        : undefined
      printResult(io, { ...view, ...(metrics ? { metrics } : {}) }, () => [
        ...attackLines(view, io),
        '',
        ...stageLines(view),
        ...annotationLines(view.attack),
        ...(metrics ? metricLines(metrics, io.columns) : []),
      ])
    })
}

/** An attack with its executions. */
export async function readView(api: ApiClient, id: string): Promise<AttackView> {
  // The executions last: they are then at least as new as the attack's own stage.
  const attack = await api.call(readAttack, { params: { guid: id } })
  return { attack, executions: await api.call(listExecutions, { query: { taskId: id } }) }
}

function metricLines({ lines, unit, chartTitle }: Metrics, columns: number): string[] {
  return [
    '',
    chartTitle,
    ...lines.flatMap(({ name, requested, series }) => [
      '',
      name,
      ...chartLines({
        points: series.map(({ timestamp, value }) => ({ atMs: Date.parse(timestamp), value })),
        requested,
        unit: unit.replaceAll('_', ' '),
        columns,
      }),
    ]),
  ]
}
