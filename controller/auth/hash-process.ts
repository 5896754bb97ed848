import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
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
  readonly settle: (answer: HashAnswer['answer'] | Promise<HashAnswer['answer']>) => void
}

/** After an end that nobody asked for, passwords are hashed in this process for so long. */
const restartAfterMs = 60_000

/** Whoever serves requests goes first, but where all cores are taken it still gets a tenth of what they get. */
const niceness = 10

/** From its first moment: its start takes more than ten hashes. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, niceness)
    // Linux shares the cores among sessions first, and within one by niceness.
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
  } catch {
    // It has ended already, or this kernel does not.
  }
}

/** A process that hashes. */
export interface HashProcess extends Hasher {
  /** Absent while it does not run. */
  readonly pid: number | undefined
  close(): void
}

/**
 * Hashes in a process of its own, in a session of its own and with low priority: a hash takes a core for
 * milliseconds, and whoever serves requests must not wait for that. It starts when it is first needed; where it
 * cannot run, this process hashes.
 */
export function createHashProcess(onTrouble: (error: Error) => void): HashProcess {
  const waiting = new Map<number, Waiting>()
  const state: { child?: ChildProcess | undefined; brokenMs: number; isClosed: boolean } = {
    brokenMs: -Infinity,
    isClosed: false,
  }
  let lastId = 0
  const fallBack = (child: ChildProcess, error: Error) => {
    if (state.child !== child) return
    state.child = undefined
    state.brokenMs = performance.now()
    if (!state.isClosed) onTrouble(error)
    for (const { order, settle } of waiting.values()) settle(carryOutHere(order))
    waiting.clear()
  }
  const start = (): ChildProcess => {
    const child = fork(new URL('hash-main.ts', import.meta.url), {
      detached: true,
      // Nothing of the settings, of which some are secret.
      env: { UV_THREADPOOL_SIZE: String(availableParallelism()) },
      execArgv: [],
      stdio: 'ignore',
    })
    if (child.pid !== undefined) giveWay(child.pid)
    child.on('message', ({ id, answer }: HashAnswer) => {
      waiting.get(id)?.settle(answer)
      waiting.delete(id)
    })
    child.on('error', (error) => fallBack(child, error))
    child.on('exit', (code, signal) =>
      fallBack(child, new Error(`The process that hashes passwords ended: ${signal ?? code}.`)),
    )
    child.unref()
    child.channel?.unref()
    return child
  }
  const ask = (what: Omit<HashOrder, 'id'>): Promise<HashAnswer['answer']> => {
    const order = { ...what, id: (lastId += 1) }
    const mayStart = !state.isClosed && performance.now() - state.brokenMs > restartAfterMs
    state.child ??= mayStart ? start() : undefined
    const { child } = state
    if (!child) return carryOutHere(order)
    return new Promise((settle) => {
      waiting.set(order.id, { order, settle })
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
      if (state.child?.connected) state.child.disconnect()
    },
  }
}

function carryOutHere({ password, passwordHash }: HashOrder): Promise<HashAnswer['answer']> {
  if (passwordHash === undefined) return hashHere.hash(password)
  return hashHere.verify(passwordHash, password)
}
