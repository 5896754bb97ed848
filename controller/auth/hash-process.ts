import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, setPriority } from 'node:os'
import { hashHere, type Hasher } from './argon2.ts'

/** What the process that hashes is asked: to verify where there is a hash, else to make one. */
export interface HashOrder {
  readonly id: number
  readonly password: string
  readonly passwordHash?: string
}

export interface HashAnswer {
  readonly id: number
  readonly answer: string | boolean
}

interface Waiting {
  readonly order: HashOrder
  readonly impatience: NodeJS.Timeout
  readonly settle: (answer: HashAnswer['answer'] | Promise<HashAnswer['answer']>) => void
}

/** After an end that nobody asked for, passwords are hashed in this process for so long. */
const restartAfterMs = 60_000

/** Where there is no `chrt`, it gets a tenth of what others get. */
const niceness = 10

/** After an answer that did not come within this, others have the cores: for so long passwords are hashed here. */
const answerWithinMs = 500
const busyForMs = 10_000

/**
 * From its first moment: its start takes more than ten hashes. Linux lets whoever wakes up have the core of an
 * idle-class process at once (sched(7), SCHED_IDLE); of one with a low priority, only at the next tick.
 */
function giveWay(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended already.
  }
  execFile('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)], () => undefined)
}

interface State {
  child?: ChildProcess | undefined
  brokenMs: number
  busyMs: number
  isClosed: boolean
}

/** A process that hashes. */
export interface HashProcess extends Hasher {
  /** Absent while it does not run. */
  readonly pid: number | undefined
  /** Resolves when it is gone. */
  close(): Promise<void>
}

/**
 * Hashes in a process of its own that lets everything else go first: a hash takes a core for milliseconds, and
 * whoever serves requests must not wait for that. It starts when it is first needed, or after so long, when it takes
 * nobody's core; where it cannot run, or gets no core, this process hashes.
 */
export function createHashProcess(
  onTrouble: (error: Error) => void,
  startAfterMs?: number,
): HashProcess {
  const waiting = new Map<number, Waiting>()
  const hasAnswered = new WeakSet<ChildProcess>()
  const state: State = { brokenMs: -Infinity, busyMs: -Infinity, isClosed: false }
  let lastId = 0
  const takeBack = ({ order, impatience, settle }: Waiting) => {
    clearTimeout(impatience)
    waiting.delete(order.id)
    settle(carryOutHere(order))
  }
  const fallBack = (child: ChildProcess, error: Error) => {
    if (state.child !== child) return
    state.child = undefined
    state.brokenMs = performance.now()
    if (!state.isClosed) onTrouble(error)
    for (const one of waiting.values()) takeBack(one)
  }
  const onAnswer = (child: ChildProcess, { id, answer }: HashAnswer) => {
    hasAnswered.add(child)
    const one = waiting.get(id)
    clearTimeout(one?.impatience)
    waiting.delete(id)
    one?.settle(answer)
  }
  const running = (): ChildProcess | undefined => {
    const mayStart = !state.isClosed && performance.now() - state.brokenMs > restartAfterMs
    state.child ??= mayStart ? start(onAnswer, fallBack) : undefined
    return state.child
  }
  if (startAfterMs !== undefined) setTimeout(running, startAfterMs).unref()
  const ask = (what: Omit<HashOrder, 'id'>): Promise<HashAnswer['answer']> => {
    const order = { ...what, id: (lastId += 1) }
    const child = running()
    const isBusy = performance.now() - state.busyMs < busyForMs
    if (!child || isBusy) return carryOutHere(order)
    return new Promise((settle) => {
      const impatience = setTimeout(() => {
        // Its start takes longer on any machine, and says nothing of how busy this one is.
        if (child === state.child && hasAnswered.has(child)) state.busyMs = performance.now()
        takeBack(one)
      }, answerWithinMs)
      const one = { order, impatience, settle }
      waiting.set(order.id, one)
      // What cannot be sent is found waiting when the process has ended.
      child.send(order, () => undefined)
    })
  }
  return {
    get pid() {
      return state.child?.pid
    },
    hash: async (password) => String(await ask({ password })),
    verify: async (passwordHash, password) => (await ask({ password, passwordHash })) === true,
    close() {
      state.isClosed = true
      return end(state.child)
    },
  }
}

/** Its source, or what the build put beside this. */
const hashMain = import.meta.url.endsWith('.ts') ? 'hash-main.ts' : 'hash-main.js'

function start(
  onAnswer: (child: ChildProcess, answer: HashAnswer) => void,
  onEnd: (child: ChildProcess, error: Error) => void,
): ChildProcess {
  const child = fork(new URL(hashMain, import.meta.url), {
    // Nothing of the settings, of which some are secret.
    env: { UV_THREADPOOL_SIZE: String(availableParallelism()) },
    execArgv: [],
    stdio: 'ignore',
  })
  if (child.pid !== undefined) giveWay(child.pid)
  child.on('message', (answer: HashAnswer) => onAnswer(child, answer))
  child.on('error', (error) => onEnd(child, error))
  child.on('exit', (code, signal) =>
    onEnd(child, new Error(`The process that hashes passwords ended: ${signal ?? code}.`)),
  )
  child.unref()
  child.channel?.unref()
  return child
}

/** At once: whatever lets everything else go first takes its time with its own end, too. */
async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

function carryOutHere({ password, passwordHash }: HashOrder): Promise<HashAnswer['answer']> {
  if (passwordHash === undefined) return hashHere.hash(password)
  return hashHere.verify(passwordHash, password)
}
