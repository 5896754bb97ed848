import { formatTable } from '../../agent/cli/output/table.ts'
import type { Execution } from '../../shared/api/records.ts'
import { plannedEndMs, type AttackResult } from './attack.ts'
import type { Observation } from './observe.ts'
import type { DemoTarget } from './targets.ts'

/** By how many points of the target's capacity the effect may differ from what was asked. */
const tolerancePoints = 3
/** A fault that is seen for longer than this after its end has outlived its length. */
const latestGoneMs = 1000
/** CPU time that a container which was not asked for may use for itself. */
const bystanderCpuMs = 20

/** One target of one attack, with everything needed to judge it. */
export interface Row {
  readonly name: string
  readonly asked: number
  readonly byAgent: number | undefined
  readonly outside: number
  readonly stage: string
  readonly thereAfterMs: number | undefined
  readonly goneAfterMs: number | undefined
  readonly freeCores: number
  readonly problems: readonly string[]
}

/** The rows of an attack, one for each execution. */
export function rowsOf(
  result: AttackResult,
  targets: readonly DemoTarget[],
  hostCores: number,
): Row[] {
  return result.executions.map((execution) => {
    const target = targets.find((one) => one.id === execution.guest_id)
    const seen = target ? result.seenInContainers.get(target.id) : result.seenOnHost
    return rowOf(result, execution, seen as Observation, {
      name: target ? target.name : `host ${execution.client_id}`,
      capacityCores: target ? target.capacityCores : hostCores,
    })
  })
}

function rowOf(
  result: AttackResult,
  execution: Execution,
  seen: Observation,
  { name, capacityCores }: { name: string; capacityCores: number },
): Row {
  const asked = execution.requested?.value ?? Number.NaN
  const endMs = plannedEndMs(execution, result.attack.length_seconds)
  const { firstBurnAt, lastBurnAt } = seen
  const burntCores = [result.seenOnHost, ...result.seenInContainers.values()].reduce(
    (sum, one) => sum + one.cores,
    0,
  )
  const row = {
    name,
    asked,
    byAgent: execution.measured?.value,
    outside: (100 * seen.cores) / capacityCores,
    stage: execution.stage,
    thereAfterMs: firstBurnAt === undefined ? undefined : firstBurnAt - result.requestedAt,
    goneAfterMs: lastBurnAt === undefined || endMs === undefined ? undefined : lastBurnAt - endMs,
    // What the fault itself used was free for it, too.
    freeCores: seen.idleCores + burntCores,
  }
  return { ...row, problems: problemsOf(row, (asked / 100) * capacityCores, execution.output) }
}

function problemsOf(row: Omit<Row, 'problems'>, askedCores: number, output: string): string[] {
  const isOff = (value: number | undefined) =>
    value === undefined || !(Math.abs(value - row.asked) <= tolerancePoints)
  const wasStarved = row.freeCores < askedCores
  return [
    row.stage === 'Successful' ? '' : `ended as ${row.stage}: ${output}`,
    isOff(row.outside)
      ? `an onlooker saw ${percent(row.outside)}, asked ${percent(row.asked)}`
      : '',
    isOff(row.byAgent)
      ? `the agent measured ${percent(row.byAgent)}, asked ${percent(row.asked)}`
      : '',
    isOff(row.outside) && wasStarved
      ? `only ${row.freeCores.toFixed(2)} cores were free, ${askedCores.toFixed(2)} were asked for`
      : '',
    (row.goneAfterMs ?? 0) > latestGoneMs
      ? `it outlived its length by ${milliseconds(row.goneAfterMs)}`
      : '',
  ].filter(Boolean)
}

/** The containers that no attack was for, with the share of their capacity that they used. */
export function bystandersOf(
  results: readonly AttackResult[],
  targets: readonly DemoTarget[],
): { name: string; outside: number }[] {
  const asked = new Set(results.flatMap((result) => result.executions.map((e) => e.guest_id)))
  return targets
    .filter((target) => !asked.has(target.id))
    .map((target) => {
      const seen = results.map((result) => result.seenInContainers.get(target.id)?.cores ?? 0)
      return { name: target.name, outside: (100 * Math.max(0, ...seen)) / target.capacityCores }
    })
}

/** What was hit although this attack did not ask for it. */
export function strayEffects(result: AttackResult, targets: readonly DemoTarget[]): string[] {
  const hit = new Set(result.executions.map((execution) => execution.guest_id))
  return targets
    .filter((target) => !hit.has(target.id))
    .filter((t) => (result.seenInContainers.get(t.id)?.totalCpuMs ?? 0) > bystanderCpuMs)
    .map((target) => `${target.name} was hit although it was not asked for`)
}

/** The table at the end; containers that nobody asked for are in it to show that nothing hit them. */
export function tableOf(
  rows: readonly Row[],
  bystanders: readonly { name: string; outside: number }[],
): string[] {
  return formatTable([
    [
      'TARGET',
      'ASKED',
      'AGENT SAYS',
      'SEEN OUTSIDE',
      'STAGE',
      'THERE AFTER',
      'GONE AFTER',
      'FREE CPU',
    ],
    ...rows.map((row) => [
      row.name,
      percent(row.asked),
      percent(row.byAgent),
      percent(row.outside),
      row.stage,
      milliseconds(row.thereAfterMs),
      milliseconds(row.goneAfterMs),
      `${row.freeCores.toFixed(2)} cores`,
    ]),
    ...bystanders.map(({ name, outside }) => [name, '-', '-', percent(outside), 'not asked']),
  ])
}

function percent(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : `${value.toFixed(1)} %`
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? '-' : `${Math.round(value)} ms`
}
