import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Execution } from '../../../shared/api/records.ts'
import type { ApiClient } from '../../../shared/api/client.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { signedInClient } from '../credentials.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import {
  attackLines,
  type AttackView,
  exitCodeOf,
  isOver,
  progressRows,
} from '../output/attack-view.ts'
import type { CliIo } from '../output/io.ts'
import { printResult } from '../output/json.ts'
import { createProgress } from '../output/progress.ts'
import { readView } from './attack-show.ts'

const pollMs = 500
/** A controller that restarts is waited for this long; the attack itself does not need it. */
const patienceMs = 30_000

/** `temblor attack watch <id>`. */
export function registerAttackWatch(attack: Command, io: CliIo): void {
  attack
    .command('watch <id>')
    .description('Follow an attack to its end; the exit code says how it ended.')
    .action(async (id: string) => {
      const { api } = signedInClient(io.env)
      const interrupt = new AbortController()
      const onInterrupt = () => interrupt.abort()
      process.on('SIGINT', onInterrupt)
      const view = await followAttack(api, io, id, interrupt.signal).finally(() =>
        process.off('SIGINT', onInterrupt),
      )
      if (!view)
        throw new CliError(
          `Attack ${id} goes on. To halt it: temblor attack halt ${id}`,
          exitCodes.interrupted,
        )
      reportEnd(io, view)
    })
}

/** Shows progress until every target is done. Gives undefined when the signal came first. */
export async function followAttack(
  api: ApiClient,
  io: CliIo,
  id: string,
  signal: AbortSignal,
): Promise<AttackView | undefined> {
  const progress = createProgress(io)
  const runningSince = new Map<string, number>()
  const runningForMs = (execution: Execution) => {
    if (execution.stage === 'Running' && !runningSince.has(execution.guid))
      runningSince.set(execution.guid, performance.now())
    const since = runningSince.get(execution.guid)
    return since === undefined ? undefined : performance.now() - since
  }
  let heardAt = performance.now()
  while (!signal.aborted) {
    try {
      const view = await readView(api, id)
      heardAt = performance.now()
      progress.update(progressRows(view, runningForMs))
      if (isOver(view.attack)) {
        progress.finish()
        return view
      }
    } catch (error) {
      if (!isPassing(error) || performance.now() - heardAt > patienceMs) throw error
    }
    await sleep(pollMs, undefined, { signal }).catch(() => {})
  }
  progress.finish()
  return undefined
}

/** Prints the result; a bad end becomes the exit code. */
export function reportEnd(io: CliIo, view: AttackView): void {
  printResult(io, view, () => attackLines(view))
  const code = exitCodeOf(view)
  if (code !== exitCodes.ok) throw new CliError(`The attack ended as ${view.attack.stage}.`, code)
}

function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429
  return error instanceof TypeError
}
