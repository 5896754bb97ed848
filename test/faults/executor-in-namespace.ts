import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { AttackParams, AttackTypeName } from '../../shared/attacks/index.ts'
import type { ExecutionUpdate } from '../../agent/execution-update.ts'
import { processes, type ProcessInfo } from '../support/processes.ts'
import type { ExecutorLine, ExecutorProcessOptions, ExecutorRequest } from './executor-process.ts'
import { clockStartMs, isRunning, orderFor, updateLog, type UpdateLog } from './executor-rig.ts'

const program = fileURLToPath(new URL('executor-process.ts', import.meta.url))

/** An executor that runs in a namespace of the network or of mounts. */
export interface NamespaceExecutor extends AsyncDisposable {
  readonly child: ChildProcess
  readonly updates: UpdateLog['updates']
  readonly reached: UpdateLog['reached']
  /** What it was started with; another one with the same takes over its journal. */
  readonly options: ExecutorProcessOptions
  /** The executions that it found open when it started. */
  readonly replayed: readonly string[]
  /** Starts an attack. @returns its execution id */
  attack(type: AttackTypeName, params: AttackParams, attackId?: string): string
  halt(executionId: string): void
  /** Says that the controller has heard of everything up to this update. */
  acknowledge(executionId: string, seq: number): void
  running(executionId: string): Promise<ExecutionUpdate>
  /** When something happened there, on `performance.now()` of this process: it may be heard of late. */
  happenedAt(update: ExecutionUpdate): number
  /** Its last update, which holds the report. */
  ended(executionId: string): Promise<ExecutionUpdate>
  /** Ends whatever runs; resolves when all of it has ended. */
  haltAll(): Promise<void>
  /** Helper processes of this executor that live. */
  helpers(): ProcessInfo[]
  /** Kills it without a warning. */
  kill(): Promise<void>
}

/** Starts an executor in a network namespace; resolves when it takes orders. */
export function executorIn(
  namespacePath: string,
  options: ExecutorProcessOptions = {
    stateDir: mkdtempSync(join(tmpdir(), 'temblor-executor-')),
    instanceId: randomUUID(),
  },
): Promise<NamespaceExecutor> {
  return executorThrough([`--net=${namespacePath}`], options)
}

/** Starts an executor in the namespaces that nsenter is told. */
export async function executorThrough(
  namespaces: readonly string[],
  options: ExecutorProcessOptions,
): Promise<NamespaceExecutor> {
  const command = [...namespaces, '--', process.execPath, program]
  const child = spawn('nsenter', [...command, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const log = updateLog()
  const ready = Promise.withResolvers<Required<Pick<ExecutorLine, 'replayed' | 'clockStartMs'>>>()
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { update, ...line } = JSON.parse(text) as ExecutorLine
    if (update) log.add(update)
    else ready.resolve(line as Required<typeof line>)
  })
  const gone = once(child, 'close')
  void gone.then(() => ready.reject(new Error('The executor ended before it was ready.')))
  const ended = (executionId: string) =>
    log.reached(executionId, ({ reason }) => reason !== undefined)
  const { replayed, clockStartMs: itsStartMs } = await ready.promise
  const asked: string[] = []
  const ask = (request: ExecutorRequest) => child.stdin.write(`${JSON.stringify(request)}\n`)
  return {
    child,
    options,
    updates: log.updates,
    reached: log.reached,
    replayed,
    attack(type, params, attackId) {
      const order = orderFor(type, params, undefined, attackId)
      ask({ run: order })
      asked.push(order.executionId)
      return order.executionId
    },
    halt: (executionId) => void ask({ halt: executionId }),
    acknowledge: (executionId, seq) => void ask({ acknowledge: executionId, seq }),
    running: (executionId) => log.reached(executionId, isRunning),
    happenedAt: ({ atMs }) => atMs + itsStartMs - clockStartMs(),
    ended,
    async haltAll() {
      for (const executionId of asked) ask({ halt: executionId })
      await Promise.all(asked.splice(0).map((executionId) => ended(executionId)))
    },
    helpers: () => helpersOf(options.instanceId),
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.stdin.end()
      await gone
    },
  }
}

/** Helper processes of one agent: what it makes carries its instance. */
export function helpersOf(instanceId: string): ProcessInfo[] {
  return processes().filter(({ command }) => command.includes(`temblor:${instanceId}:`))
}
