import { spawn, type ChildProcess } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { FaultError, type FaultDeath } from '../faults/fault.ts'
import { programPath, type ProgramName } from './program.ts'

/** How often the agent gives a sign of life, a line that says nothing. */
const signOfLifeMs = 2000
const signOfLife = '.\n'
const lookEveryMs = 500
const complaintLength = 500

/** What every helper may say on stdout, one JSON object a line; more is up to each. */
export interface HelperLine {
  /** It ended by itself, for this reason. */
  readonly ended?: 'deadline' | 'silence' | 'target'
  /** It cannot do what it was asked; a plain sentence. */
  readonly refused?: string
}

interface HelperPlan {
  readonly program: ProgramName
  /** For people, as the start of a sentence: "The CPU burner". */
  readonly title: string
  readonly args: readonly string[]
  /** The network namespace to run in, as a path; undefined for the agent's own. */
  readonly namespacePath?: string | undefined
  /** A helper that is not ready by then has failed. */
  readonly startTimeoutMs: number
  /** A helper that is ready and says nothing for so long is killed; undefined for never. */
  readonly quietMs?: number
  /** Aborted when the helper is no longer wanted while it starts. */
  readonly signal: AbortSignal
}

export interface HelperOptions<Line extends HelperLine> extends HelperPlan {
  readonly isReady: (line: Line) => boolean
  readonly onLine?: (line: Line) => void
}

/** A process of the agent's own, which hears signs of life from it as long as the agent runs. */
export interface HelperProcess {
  readonly pid: number
  readonly died: Promise<FaultDeath>
  write(text: string): void
  /** Waits until it is gone, and kills it when it does not end by itself within `graceMs`. */
  end(graceMs: number): Promise<void>
}

/**
 * Starts a helper and resolves when it says that it is ready.
 * @throws FaultError when it cannot, or `signal` is aborted; then it is gone
 */
export async function startHelper<Line extends HelperLine>(
  options: HelperOptions<Line>,
): Promise<HelperProcess> {
  const child = spawnProgram(options)
  const state = observe(child, options)
  const signs = setInterval(() => child.stdin?.write(signOfLife), signOfLifeMs)
  child.stdin?.on('error', () => undefined)
  void state.died.finally(() => clearInterval(signs))
  const end = async (graceMs: number) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
    await state.died
    clearTimeout(timer)
  }
  try {
    await untilReady(state, options)
  } catch (error) {
    await end(0)
    throw error
  }
  if (options.quietMs !== undefined) killWhenQuiet(child, state, options.quietMs)
  return {
    pid: child.pid as number,
    died: state.died,
    write: (text) => child.stdin?.write(text),
    end,
  }
}

function spawnProgram({ program, args, namespacePath }: HelperPlan): ChildProcess {
  // Small heaps: a helper needs none. A session of its own: Ctrl-C is for the agent.
  const flags = ['--max-semi-space-size=1', '--max-old-space-size=32']
  const node = [process.execPath, ...flags, programPath(program), ...args]
  // nsenter becomes the program, so that the process number is the helper's own.
  const enter = namespacePath === undefined ? [] : ['nsenter', `--net=${namespacePath}`, '--']
  const [command, ...rest] = [...enter, ...node]
  return spawn(command as string, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: compiledCode(),
    cwd: '/',
  })
}

/** Where the agent keeps compiled code: a helper that finds its own there takes 20 MB less memory. */
export function compiledCode(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir()
  // What is told is the part for this runtime, which the helper looks for by itself.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

interface Observed {
  readonly ready: Promise<void>
  readonly died: Promise<FaultDeath>
  /** When the last line came, on the clock of performance.now(). */
  heardAt: number
  /** Why the agent killed it. */
  killedBecause: string | undefined
}

function observe<Line extends HelperLine>(
  child: ChildProcess,
  { title, isReady, onLine }: HelperOptions<Line>,
): Observed {
  const ready = Promise.withResolvers<void>()
  const died = Promise.withResolvers<FaultDeath>()
  let last: HelperLine = {}
  let complaint = ''
  const complain = (text: string) => (complaint = (complaint + text).slice(-complaintLength))
  const observed: Observed = {
    ready: ready.promise,
    died: died.promise,
    heardAt: performance.now(),
    killedBecause: undefined,
  }
  child.stderr?.on('data', (data: Buffer) => complain(data.toString()))
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (text) => {
      observed.heardAt = performance.now()
      const line = parse(text) as Line | undefined
      if (!line) return complain(`${text}\n`)
      last = line
      if (isReady(line)) ready.resolve()
      return onLine?.(line)
    })
  const endings = {
    deadline: `${title} reached its end.`,
    silence: `${title} heard nothing from its agent and ended itself.`,
    target: 'The container stopped.',
  }
  child.once('error', (error) => died.resolve({ cause: 'crash', message: error.message }))
  child.once('close', (code, signal) => {
    if (last.ended) return died.resolve({ cause: last.ended, message: endings[last.ended] })
    const how =
      observed.killedBecause ??
      last.refused ??
      (complaint.trim() || (signal ?? `exit code ${code}`))
    died.resolve({ cause: 'crash', message: `${title} ended early: ${how}` })
  })
  return observed
}

function parse(text: string): HelperLine | undefined {
  try {
    return JSON.parse(text) as HelperLine
  } catch {
    return undefined
  }
}

async function untilReady(
  state: Observed,
  { title, signal, startTimeoutMs }: HelperPlan,
): Promise<void> {
  const failed = Promise.withResolvers<never>()
  const fail = (message: string) => failed.reject(new FaultError('failed', message))
  const onAbort = () => fail('Halted while it started.')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const timer = setTimeout(() => fail(`${title} did not start in time.`), startTimeoutMs)
  void state.died.then(({ cause, message }) =>
    failed.reject(new FaultError(cause === 'target' ? 'target-gone' : 'failed', message)),
  )
  try {
    await Promise.race([state.ready, failed.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    failed.promise.catch(() => undefined)
  }
}

/** A frozen helper does no good and may do harm; its death heals what it holds. */
function killWhenQuiet(child: ChildProcess, state: Observed, quietMs: number): void {
  let lookedAt = performance.now()
  let isExcused = false
  const timer = setInterval(() => {
    const now = performance.now()
    // When the agent itself stood still, lines may be waiting to be read: once.
    isExcused = !isExcused && now - lookedAt > 4 * lookEveryMs
    lookedAt = now
    if (isExcused || now - state.heardAt <= quietMs) return
    state.killedBecause = `it said nothing for ${quietMs} ms and was killed`
    child.kill('SIGKILL')
    clearInterval(timer)
  }, lookEveryMs)
  void state.died.finally(() => clearInterval(timer))
}
