import type { Command } from 'commander'
import type { ApiClient } from '../../../shared/api/client.ts'
import type { ExecutionEvent } from '../../../shared/api/events.ts'
import type { Execution } from '../../../shared/api/records.ts'
import { isOver } from '../../../shared/attack-words.ts'
import { signedInClient } from '../credentials.ts'
import { type ViewStep, watchAll, watchViews } from '../events/attack-views.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { interruptible } from '../interruptible.ts'
import {
  attackLines,
  type AttackView,
  eventLine,
  exitCodeOf,
  progressRows,
} from '../output/attack-view.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { createProgress } from '../output/progress.ts'

/** On a terminal the bars move between events too. */
const redrawMs = 500

/** `temblor attack watch [id]`. */
export function registerAttackWatch(attack: Command, io: CliIo): void {
  attack
    .command('watch [id]')
    .description('Follow an attack to its end, or all attacks of the team until Ctrl-C.')
    .addHelpText(
      'after',
      `
With --json each event is one line of JSON.

Examples:
  temblor attack watch 5f0c…                          # the exit code says how it ended
  temblor attack watch --json | jq -r .execution.stage`,
    )
    .action(async (id: string | undefined) => {
      const { api } = signedInClient(io.env)
      await interruptible(async (interrupt) => {
        const signal = AbortSignal.any([interrupt, io.closed])
        await (id === undefined ? watchTeam(api, io, signal) : watchOne(api, io, id, signal))
      })
    })
}

async function watchOne(api: ApiClient, io: CliIo, id: string, signal: AbortSignal): Promise<void> {
  const view = await watchToEnd(api, io, id, signal, (event) => printEvent(io, event))
  if (!view)
    throw new CliError(
      `Attack ${id} goes on. To halt it: temblor attack halt ${id}`,
      exitCodes.interrupted,
    )
  if (io.json) io.print(JSON.stringify({ event: 'end', ...view }))
  reportEnd(io, view, io.json)
}

async function watchTeam(api: ApiClient, io: CliIo, signal: AbortSignal): Promise<void> {
  const stages = new Map<string, string>()
  io.say('Waiting for attacks of the team. Ctrl-C ends it.')
  for await (const event of watchAll(api, signal)) {
    if (io.json) printEvent(io, event)
    // The measurements in between are for those who read JSON.
    else if (stages.get(event.execution_id) !== event.stage) io.print(eventLine(event, io))
    stages.set(event.execution_id, event.stage)
    if (event.execution.end_time !== null) stages.delete(event.execution_id)
  }
  throw new CliError('No longer watching; nothing was halted.', exitCodes.interrupted)
}

function printEvent(io: CliIo, event: ExecutionEvent): void {
  if (io.json) io.print(JSON.stringify({ event: 'execution', ...event }))
}

/** Shows progress until every target is done. Gives undefined when the signal came first. */
export function watchToEnd(
  api: ApiClient,
  io: CliIo,
  id: string,
  signal: AbortSignal,
  onEvent?: (event: ExecutionEvent) => void,
): Promise<AttackView | undefined> {
  return showProgress(io, watchViews(api, id, signal), onEvent)
}

async function showProgress(
  io: CliIo,
  steps: AsyncIterable<ViewStep>,
  onEvent?: (event: ExecutionEvent) => void,
): Promise<AttackView | undefined> {
  const progress = createProgress(io)
  const runningForMs = createStopwatch()
  let last: AttackView | undefined
  const draw = () => {
    if (last) progress.update(progressRows(last, runningForMs))
  }
  const timer = io.isTerminal && !io.json ? setInterval(draw, redrawMs) : undefined
  try {
    for await (const { view, event } of steps) {
      last = view
      if (event) onEvent?.(event)
      draw()
    }
  } finally {
    clearInterval(timer)
    progress.finish()
  }
  return last && isOver(last.attack) ? last : undefined
}

/** For how long an execution has been running, by the controller's clock and then by ours. */
function createStopwatch(): (execution: Execution) => number | undefined {
  const startedAt = new Map<string, number>()
  return (execution) => {
    const running = execution.service_states?.find(({ stage }) => stage === 'Running')
    if (!running) return undefined
    const ranMs = Date.parse(execution.updated_at) - Date.parse(running.timestamp)
    const known = startedAt.get(execution.guid) ?? performance.now() - Math.max(0, ranMs || 0)
    startedAt.set(execution.guid, known)
    return performance.now() - known
  }
}

/** Prints the result; a bad end becomes the exit code. */
export function reportEnd(io: CliIo, view: AttackView, isPrinted = false): void {
  if (!isPrinted) printResult(io, view, () => attackLines(view, io))
  const code = exitCodeOf(view)
  if (code !== exitCodes.ok) throw new CliError(`The attack ended as ${view.attack.stage}.`, code)
}
