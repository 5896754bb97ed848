import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/** Above this a log is put aside (one old one is kept) at the next start. */
const maximumLogBytes = 10_000_000
const lastLinesKept = 8
const lastWordsMs = 200

/** Children that run; they are in groups of their own, so nothing but us ends them. */
const live = new Set<ChildProcess>()

/**
 * Ends all children at once. What an agent had running is ended by the kernel, by the death of its
 * helpers, or at the replay of its journal.
 */
export function killChildren(): void {
  for (const child of live) child.kill('SIGKILL')
}
process.on('exit', killChildren)

export interface ManagedChild {
  readonly name: string
  readonly process: ChildProcess
  /** Resolves when it is over, however that came about. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** The last lines it wrote, for the message when it dies. */
  lastLines(): string[]
  /** Asks it to end, waits, and ends it by force after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
  /** Ends it at once. */
  kill(): void
}

export interface ChildOptions {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly ipc?: boolean
  readonly logFile: string
  /** Called with each problem that it logs (level warn and above), for the terminal. */
  readonly onProblem?: (message: string) => void
}

/**
 * Starts a child whose output goes to a log file. It gets a process group of its own: Ctrl-C reaches
 * us alone, and we end the children in the order that lets the agent revert its faults first.
 */
export function startChild(options: ChildOptions): ManagedChild {
  const { TEMBLOR_OWNER_PASSWORD: _, ...inherited } = process.env
  const [program = '', ...args] = [...endWithParent(), options.program, ...options.args]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
    detached: true,
    ...(options.cwd ? { cwd: options.cwd } : {}),
    env: { ...inherited, ...options.env },
  })
  live.add(child)
  const last = recordOutput(child, options)
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('error', (error) => {
      last.push(error.message)
      resolve({ code: 1, signal: null })
    })
    child.on('exit', (code, signal) => {
      live.delete(child)
      // Its last words may still be in the pipe, which its own children may hold open for longer.
      const settle = () => resolve({ code, signal })
      child.once('close', settle)
      setTimeout(settle, lastWordsMs)
    })
  })
  const isOver = () => child.exitCode !== null || child.signalCode !== null || !child.pid
  return {
    name: options.name,
    process: child,
    ended,
    lastLines: () => [...last],
    kill: () => void (isOver() || child.kill('SIGKILL')),
    async stop(timeoutMs) {
      if (isOver()) return
      child.kill('SIGTERM')
      await Promise.race([ended, sleep(timeoutMs, undefined, { ref: false })])
      if (!isOver()) child.kill('SIGKILL')
      await ended
    },
  }
}

/**
 * If we are killed, nobody is left to end the children: where util-linux is there, the kernel sends
 * them SIGTERM, at which the agent reverts what it has running.
 */
function endWithParent(): string[] {
  const setpriv = '/usr/bin/setpriv'
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', 'TERM', '--'] : []
}

/**
 * The first IPC message of a child that is ready.
 * @throws Error with what it said when it failed, ended or took too long
 */
export async function readyMessage<T>(child: ManagedChild, timeoutMs: number): Promise<T> {
  const message = new Promise<{ ready: boolean; message?: string }>((resolve) => {
    child.process.once('message', (value) => resolve(value as { ready: boolean }))
  })
  const died = child.ended.then(() => ({
    ready: false,
    message: child.lastLines().join('\n') || 'It ended without a word.',
  }))
  const late = sleep(timeoutMs, undefined, { ref: false }).then(() => ({
    ready: false,
    message: `It was not ready after ${timeoutMs / 1000} s.`,
  }))
  const answer = await Promise.race([message, died, late])
  if (!answer.ready) throw new Error(`${child.name} did not start: ${answer.message}`)
  return answer as T
}

function recordOutput(child: ChildProcess, options: ChildOptions): string[] {
  putAsideLargeLog(options.logFile)
  const log = createWriteStream(options.logFile, { flags: 'a', mode: 0o600 })
  // A full disk must not end the service; the lines are lost, the faults are not.
  log.on('error', () => {})
  const last: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`)
      const text = readable(line)
      last.push(text.message)
      if (last.length > lastLinesKept) last.shift()
      const isProblem = text.level >= levelWarn || (stream === child.stderr && text.level === 0)
      if (isProblem) options.onProblem?.(text.message)
    })
  }
  child.on('close', () => log.end())
  return last
}

const levelWarn = 40

/** A JSON log line as people read it; anything else as it is, with level 0. */
function readable(line: string): { level: number; message: string } {
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level?: number
      msg?: string
      err?: { message?: string }
    }
    const message = [msg, err?.message].filter(Boolean).join(': ')
    return { level: level ?? 0, message: message || line }
  } catch {
    return { level: 0, message: line }
  }
}

function putAsideLargeLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > maximumLogBytes) renameSync(file, `${file}.1`)
}
