import { spawn, type ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import { until } from './until.ts'

export const repository = resolve(import.meta.dirname, '../..')

/** The end of a process: its exit code, or the signal that ended it. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  /** What it has printed until now, both streams in the order of arrival. */
  output(): string
  readonly ended: Promise<Ended>
  hasEnded(): boolean
  /** Sends the signal and waits for the end; kills it when it does not end in time. */
  stop(signal?: NodeJS.Signals, withinMs?: number): Promise<Ended>
}

export type Environment = Record<string, string | undefined>

const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/**
 * Starts `node <file> …` in the repository with this Node and without the caller's TEMBLOR_ variables,
 * in a process group of its own, as a shell does. `prefix` is a command that becomes it, such as
 * `ip netns exec`.
 */
export function startNode(
  args: readonly string[],
  environment: Environment = {},
  prefix: readonly string[] = [],
): Running {
  const [program = '', ...rest] = [...prefix, process.execPath, ...args]
  const child = spawn(program, rest, {
    cwd: repository,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  alive.add(child)
  let stdout = ''
  let stderr = ''
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    output += text
  })
  let over = false
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail)
    child.once('close', (code, signal) => {
      over = true
      alive.delete(child)
      done({ code, signal, stdout, stderr })
    })
  })
  const running: Running = {
    child,
    pid: child.pid as number,
    output: () => output,
    ended,
    hasEnded: () => over,
    async stop(signal = 'SIGINT', withinMs = 20_000) {
      if (!over) child.kill(signal)
      try {
        await until(`end of ${args.join(' ')} after ${signal}`, () => over, withinMs)
      } catch (error) {
        child.kill('SIGKILL')
        throw new Error(`${String(error)}\n${output}`, { cause: error })
      }
      return await ended
    },
  }
  return running
}

/** Runs `node <file> …` to its end. */
export async function runNode(
  args: readonly string[],
  environment: Environment = {},
  withinMs = 60_000,
): Promise<Ended> {
  const running = startNode(args, environment)
  await until(`end of ${args.join(' ')}`, () => running.hasEnded(), withinMs).catch(
    async (error) => {
      running.child.kill('SIGKILL')
      throw new Error(`${String(error)}\n${running.output()}`, { cause: error })
    },
  )
  return await running.ended
}

/** Runs the CLI. */
export async function temblor(
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  return await runNode(['agent/cli/bin.js', ...args], { NO_COLOR: '1', ...environment })
}

/** Runs the CLI with `--json` and reads what it printed. @throws Error with its output on failure */
export async function temblorJson<T>(
  args: readonly string[],
  environment: Environment = {},
): Promise<T> {
  const ended = await temblor([...args, '--json'], environment)
  if (ended.code !== 0)
    throw new Error(`temblor ${args.join(' ')}: exit ${ended.code}\n${ended.stdout}${ended.stderr}`)
  return JSON.parse(ended.stdout) as T
}

function cleanEnvironment(): Environment {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !name.startsWith('TEMBLOR_') && !name.startsWith('VITEST') && name !== 'NODE_OPTIONS',
    ),
  )
}
