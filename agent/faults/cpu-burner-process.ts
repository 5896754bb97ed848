import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { BurnerLine, BurnOrder } from './cpu-burner.ts'
import { programPath } from '../host/program.ts'
import { FaultError, type FaultDeath } from './fault.ts'

/** How often the agent gives a sign of life; the burner bears five such gaps. */
const signOfLifeMs = 2000
/** A burner that is not burning by then (beyond its warm-up) has failed. */
const startTimeoutMs = 15_000

const endings: Record<NonNullable<BurnerLine['ended']>, string> = {
  deadline: 'The CPU burner reached its end.',
  silence: 'The CPU burner heard nothing from its agent and ended itself.',
  target: 'The container stopped.',
}

/** CPU seconds over wall seconds, as the burner itself counted them. */
export interface BurnerUsage {
  readonly cpuSeconds: number
  readonly wallSeconds: number
}

/** A burner that burns. */
export interface BurnerProcess {
  readonly pid: number
  readonly died: Promise<FaultDeath>
  /** Known once it ended by its deadline. */
  finalUsage(): BurnerUsage | undefined
  stop(): Promise<void>
}

/**
 * Starts a burner and resolves when it burns.
 * @throws FaultError when it cannot, or `signal` is aborted; then it is gone
 */
export async function spawnBurner(
  marker: string,
  order: BurnOrder,
  signal: AbortSignal,
): Promise<BurnerProcess> {
  const file = programPath('cpu-burner')
  // Small heaps: the burner needs none. A session of its own: Ctrl-C is for the agent.
  const flags = ['--max-semi-space-size=1', '--max-old-space-size=32']
  const child = spawn(process.execPath, [...flags, file, marker, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: {},
    cwd: '/',
  })
  const state = observe(child)
  const timer = setInterval(() => child.stdin.write('.'), signOfLifeMs)
  child.stdin.on('error', () => undefined)
  void state.died.finally(() => clearInterval(timer))
  const stop = async () => {
    child.kill('SIGKILL')
    await state.died
  }
  try {
    await untilBurning(state, signal, startTimeoutMs + order.warmUpMs)
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid as number, died: state.died, finalUsage: () => state.usage, stop }
}

interface Observed {
  readonly burning: Promise<void>
  readonly died: Promise<FaultDeath>
  usage: BurnerUsage | undefined
}

function observe(child: ChildProcess): Observed {
  const burning = Promise.withResolvers<void>()
  let last: BurnerLine = {}
  let complaint = ''
  child.stderr?.on(
    'data',
    (data: Buffer) => (complaint = (complaint + data.toString()).slice(-500)),
  )
  const lines = child.stdout && createInterface({ input: child.stdout })
  const observed: Observed = {
    burning: burning.promise,
    usage: undefined,
    died: new Promise((resolve) => {
      child.once('error', (error) => resolve({ cause: 'crash', message: error.message }))
      child.once('close', (code, signal) => {
        if (last.ended) resolve({ cause: last.ended, message: endings[last.ended] })
        else {
          const how = last.refused ?? (complaint.trim() || (signal ?? `exit code ${code}`))
          resolve({ cause: 'crash', message: `The CPU burner ended early: ${how}` })
        }
      })
    }),
  }
  lines?.on('line', (line) => {
    last = JSON.parse(line) as BurnerLine
    if (last.burning) burning.resolve()
    if (last.cpuSeconds !== undefined && last.wallSeconds !== undefined)
      observed.usage = { cpuSeconds: last.cpuSeconds, wallSeconds: last.wallSeconds }
  })
  return observed
}

async function untilBurning(
  state: Observed,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<void> {
  const failed = Promise.withResolvers<never>()
  const fail = (message: string) => failed.reject(new FaultError('failed', message))
  const onAbort = () => fail('Halted while it started.')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const timer = setTimeout(() => fail('The CPU burner did not start in time.'), timeoutMs)
  void state.died.then(({ cause, message }) =>
    failed.reject(new FaultError(cause === 'target' ? 'target-gone' : 'failed', message)),
  )
  try {
    await Promise.race([state.burning, failed.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    failed.promise.catch(() => undefined)
  }
}
