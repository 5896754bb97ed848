/**
 * The process that burns CPU: one thread watches, the others burn. Started by `cpu.ts` as
 * `cpu-burner.ts <marker> <order as JSON>`. It ends by itself, whatever becomes of its agent:
 * when stdin closes, when nothing came on stdin for `silenceMs`, at its deadline, when the target's
 * first process is gone.
 */
import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker, type MessagePort } from 'node:worker_threads'
import type { GroupFolder } from '../host/control-groups.ts'
import { callAt } from '../host/long-timer.ts'
import { isAlive, type ProcessIdentity } from '../host/processes.ts'

/** What the agent tells the burner. */
export interface BurnOrder {
  /** CPU to burn, in cores, shared evenly by the workers. */
  readonly loadCores: number
  readonly workers: number
  /** How long to burn, from the moment it burns where it should. */
  readonly lengthMs: number
  readonly groups: readonly GroupFolder[]
  readonly target: ProcessIdentity | null
  /** Real work before joining, so that memory is charged to the agent's own group (cgroup v2). */
  readonly warmUpMs: number
  /** How long it may hear nothing from its agent. */
  readonly silenceMs: number
}

/** What the burner says on stdout, one JSON object a line. */
export interface BurnerLine {
  readonly burning?: true
  readonly ended?: 'deadline' | 'silence' | 'target'
  readonly refused?: string
  /** CPU seconds and wall seconds while it burned; with `ended`. */
  readonly cpuSeconds?: number
  readonly wallSeconds?: number
}

interface WorkerData {
  readonly ratePerCore: number
  /** Slot 0: CPU ms per worker spent outside the workers; slot 1 + i: CPU ms burnt by worker i. */
  readonly shared: SharedArrayBuffer
  readonly index: number
  readonly stepMs: number
  /** The most that is made up after others had the CPU; more would be a burst. */
  readonly catchUpMs: number
  readonly longestRestMs: number
}

const pace = { stepMs: 2, catchUpMs: 250, longestRestMs: 100 }
/** runc removes the control groups of a dead container within about 300 ms, or fails. */
const targetPollMs = 20
const checkSilenceMs = 250

function watch(order: BurnOrder): void {
  let heardAt = performance.now()
  process.stdin.on('data', () => (heardAt = performance.now()))
  for (const event of ['end', 'error', 'close']) process.stdin.on(event, () => die())
  let checkedAt = heardAt
  let isExcused = false
  setInterval(() => {
    const now = performance.now()
    // When this process itself stood still (a frozen group), words may be waiting: once.
    isExcused = !isExcused && now - checkedAt > 4 * checkSilenceMs
    checkedAt = now
    if (!isExcused && now - heardAt > order.silenceMs) end({ ended: 'silence' })
  }, checkSilenceMs)
  const target = order.target
  if (target)
    setInterval(() => {
      if (!isAlive(target)) end({ ended: 'target' })
    }, targetPollMs)
}

async function burn(order: BurnOrder): Promise<void> {
  // The first to go when memory is short.
  writeFileSync('/proc/self/oom_score_adj', '1000')
  const shared = new SharedArrayBuffer(8 * (order.workers + 1))
  if (order.warmUpMs === 0) joinGroups(order)
  const rate = order.loadCores / order.workers
  await Promise.all(
    Array.from({ length: order.workers }, (_, index) => startWorker(rate, shared, index)),
  )
  if (order.warmUpMs > 0) {
    await sleep(order.warmUpMs)
    joinGroups(order)
  }
  verifyThreads(order)
  accountOverhead(shared, order.workers)
  const startedAt = performance.now()
  const before = process.cpuUsage()
  say({ burning: true })
  callAt(startedAt + order.lengthMs, () => {
    const used = process.cpuUsage(before)
    end({
      ended: 'deadline',
      cpuSeconds: (used.user + used.system) / 1e6,
      wallSeconds: (performance.now() - startedAt) / 1000,
    })
  })
}

async function startWorker(
  ratePerCore: number,
  shared: SharedArrayBuffer,
  index: number,
): Promise<void> {
  const data: WorkerData = { ratePerCore, shared, index, ...pace }
  // As text, because every thread that loads a TypeScript file takes 10 MB for its compiler.
  const source = `const { workerData, parentPort } = require('node:worker_threads')
    ;(${burnInWorker.toString()})(workerData, parentPort)`
  const worker = new Worker(source, { eval: true, workerData: data })
  await once(worker, 'message')
}

/** Moves this whole process, all its threads. Never falls back to another group. */
function joinGroups(order: BurnOrder): void {
  for (const { folder } of order.groups)
    writeFileSync(`${folder}/cgroup.procs`, String(process.pid))
}

function verifyThreads(order: BurnOrder): void {
  for (const thread of readdirSync('/proc/self/task')) {
    const lines = readFileSync(`/proc/self/task/${thread}/cgroup`, 'utf8').split('\n')
    const missing = order.groups.find(({ line }) => !lines.includes(line))
    if (missing) throw new Error(`a thread did not join the control group ${missing.line}`)
  }
}

/** Tells the workers what the rest of the process uses, so that the sum is what was asked. */
function accountOverhead(shared: SharedArrayBuffer, workers: number): void {
  const slots = new Float64Array(shared)
  const byWorkersMs = () => slots.subarray(1).reduce((sum, ms) => sum + ms, 0)
  const overheadBefore = milliseconds(process.cpuUsage()) - byWorkersMs()
  setInterval(() => {
    const overhead = milliseconds(process.cpuUsage()) - byWorkersMs() - overheadBefore
    slots[0] = Math.max(0, overhead) / workers
  }, 100)
}

/**
 * One worker: a closed loop on the CPU time that this thread has really had. Runs from its own text
 * alone, so it uses nothing but its arguments and globals.
 */
function burnInWorker(data: WorkerData, agent: MessagePort): void {
  const { ratePerCore, shared, index, stepMs, catchUpMs, longestRestMs } = data
  const slots = new Float64Array(shared)
  const never = new Int32Array(new SharedArrayBuffer(4))
  agent.postMessage('ready', [])
  let startedAt = performance.now()
  const before = process.threadCpuUsage()
  for (;;) {
    const stepAt = performance.now()
    const { user, system } = process.threadCpuUsage(before)
    const usedMs = (user + system) / 1000
    slots[index + 1] = usedMs
    let owedMs = ratePerCore * (stepAt - startedAt) - usedMs - (slots[0] as number)
    if (owedMs > catchUpMs) {
      startedAt += (owedMs - catchUpMs) / ratePerCore
      owedMs = catchUpMs
    }
    const until = stepAt + Math.min(owedMs, 5 * stepMs)
    while (performance.now() < until);
    // On a slow machine a step alone may cost more than is asked for: then until that much is due.
    const aheadMs = Math.min(-owedMs / ratePerCore, longestRestMs)
    const restMs = Math.max(stepMs, aheadMs) - (performance.now() - stepAt)
    if (restMs > 0 && ratePerCore < 1) Atomics.wait(never, 0, 0, restMs)
  }
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}

function say(line: BurnerLine): void {
  try {
    writeSync(1, `${JSON.stringify(line)}\n`)
  } catch {
    // The agent is gone; ending is all that matters.
  }
}

function end(line: BurnerLine): void {
  say(line)
  die()
}

/** Faster and surer than leaving: busy workers need not notice anything. */
function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

const order = JSON.parse(process.argv[3] ?? '{}') as BurnOrder
watch(order)
burn(order).catch((error: unknown) =>
  end({ refused: error instanceof Error ? error.message : String(error) }),
)
