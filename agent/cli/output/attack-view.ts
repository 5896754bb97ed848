import type { ExecutionEvent } from '../../../shared/api/events.ts'
import type { Attack, Execution } from '../../../shared/api/records.ts'
import { formatEffect, remarkOf, targetName } from '../../../shared/attack-words.ts'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import type { CliIo } from './io.ts'
import type { ProgressRow } from './progress.ts'
import { paintStage } from './stage-colour.ts'
import { formatTable } from './table.ts'

/** An attack with a row for each host or container, as it is printed with `--json`. */
export interface AttackView {
  readonly attack: Attack
  readonly executions: readonly Execution[]
}

function isError(execution: Execution): boolean {
  return execution.stage_lifecycle === 'Error'
}

/** How the command ends that waited for this attack. */
export function exitCodeOf({ attack, executions }: AttackView): ExitCode {
  const succeeded = executions.filter((execution) => execution.stage === 'Successful').length
  if (executions.some(isError))
    return succeeded > 0 ? exitCodes.partiallyApplied : exitCodes.attackFailed
  if (executions.some((execution) => execution.stage === 'UserHalted'))
    return exitCodes.haltedBySomeone
  if (succeeded === 0) return exitCodes.attackFailed
  return attack.targets_without_container.length > 0 ? exitCodes.partiallyApplied : exitCodes.ok
}

/** One bar or line for each target. `runningForMs` says for how long each has been running. */
export function progressRows(
  { attack, executions }: AttackView,
  runningForMs: (execution: Execution) => number | undefined,
): ProgressRow[] {
  return executions.map((execution) => {
    const ranMs = runningForMs(execution) ?? 0
    const lengthMs = attack.length_seconds * 1000
    const isDone = execution.end_time !== null
    const leftSeconds = Math.max(0, Math.ceil((lengthMs - ranMs) / 1000))
    const notes = [
      execution.stage === 'Running' ? `${leftSeconds} s left` : '',
      execution.requested ? `asked ${formatEffect(execution.requested)}` : '',
      execution.measured ? `measured ${formatEffect(execution.measured)}` : '',
      isDone ? remarkOf(execution) : '',
    ]
    return {
      name: targetName(execution),
      stage: execution.stage,
      fraction: isDone ? 1 : ranMs / lengthMs,
      note: notes.filter(Boolean).join(', '),
    }
  })
}

/** The lines of `attack show`, and the summary at the end of `attack run` and `watch`. */
export function attackLines(
  { attack, executions }: AttackView,
  io: Pick<CliIo, 'paint'>,
): string[] {
  const halted = attack.halted_by ? `, halted by ${attack.halted_by}${haltWhy(attack)}` : ''
  const rows = executions.map((execution) => [
    targetName(execution),
    paintStage(io, execution.stage),
    formatEffect(execution.requested),
    formatEffect(execution.measured),
    execution.backend ?? '-',
    execution.reason ?? '-',
  ])
  return [
    `attack ${attack.guid}: ${paintStage(io, attack.stage)}${halted}`,
    `  ${[attack.command_type, ...attack.args].join(' ')} (${attack.length_seconds} s), by ${attack.create_user}, ${attack.created_at}`,
    '',
    ...formatTable([['TARGET', 'STAGE', 'ASKED', 'MEASURED', 'BACKEND', 'REASON'], ...rows]),
    ...executions
      .filter((e) => e.end_time !== null && (isError(e) || remarkOf(e) !== ''))
      .map((e) => `${targetName(e)}: ${e.output}`),
    ...attack.targets_without_container.map(
      (host) => `${host}: no container there carries the labels; nothing was done.`,
    ),
  ]
}

function haltWhy({ halt_reason: reason, halt_reference: reference }: Attack): string {
  const why = [reason, reference].filter(Boolean).join(', ')
  return why ? ` (${why})` : ''
}

/** When each target reached each stage, in seconds after the attack was created. */
export function stageLines({ attack, executions }: AttackView): string[] {
  const createdMs = Date.parse(attack.created_at)
  const rows = executions.map((execution) => [
    targetName(execution),
    execution.service_states
      .map(({ stage, timestamp }) => {
        const seconds = (Date.parse(timestamp) - createdMs) / 1000
        return `${stage} +${Math.max(0, seconds).toFixed(1)} s`
      })
      .join(', '),
  ])
  return formatTable([['TARGET', 'STAGES'], ...rows])
}

/** What somebody noted on the attack. */
export function annotationLines({ annotations }: Attack): string[] {
  if (!annotations) return []
  const { notes, otherAnnotations, metrics } = annotations
  return [
    ...(notes ? [`Note: ${notes}`] : []),
    ...Object.entries({ ...otherAnnotations, ...metrics }).map(
      ([key, value]) => `  ${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ]
}

/** One move of one target, as `attack watch` prints it for the team. */
export function eventLine(
  { attack, execution, stage }: ExecutionEvent,
  io: Pick<CliIo, 'paint'>,
): string {
  const isDone = execution.end_time !== null && execution.stage === stage
  const notes = [
    execution.requested && stage === 'Running' ? `asked ${formatEffect(execution.requested)}` : '',
    execution.measured && isDone ? `measured ${formatEffect(execution.measured)}` : '',
    isDone ? remarkOf(execution) : '',
  ]
  const note = notes.filter(Boolean).join(', ')
  const at = execution.service_states.findLast((one) => one.stage === stage)?.timestamp
  return `${at ?? execution.updated_at}  ${attack.guid}  ${attack.command_type}  ${targetName(execution)}  ${paintStage(io, stage)}${note ? ` (${note})` : ''}`
}
