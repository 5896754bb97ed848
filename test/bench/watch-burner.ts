import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { isAlive, type ProcessIdentity, identify, readProc } from '../../agent/host/processes.ts'

/** How often the kernel is asked; every time below has this resolution. */
const lookEveryMs = 1
/** A worker thread that has had so much CPU burns. */
const burningNs = 1e6

/** Sees, from outside, a burner come. */
export interface BurnerWatch {
  /** When the agent's journal had the execution (`performance.now()`), and which it is. */
  readonly journalled: Promise<{ at: number; executionId: string }>
  close(): void
}

/** Watches the journal of an agent for a new execution. */
export function watchJournal(agentDir: string): BurnerWatch {
  let watcher: FSWatcher | undefined
  const journalled = new Promise<{ at: number; executionId: string }>((resolve) => {
    watcher = watch(`${agentDir}/journal`, (_event, name) => {
      const [executionId = '', ending] = (name ?? '').split('.json')
      if (ending === '') resolve({ at: performance.now(), executionId })
    })
  })
  return { journalled, close: () => watcher?.close() }
}

/** The processes of this moment, among which a later one need not be looked for. */
export function presentProcesses(): Set<string> {
  return new Set(readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
}

/** Resolves to the new process that was started with an argument that holds this text. */
export async function untilStarted(
  text: string,
  before: ReadonlySet<string>,
  withinMs = 10_000,
): Promise<number> {
  // Read again each time: between fork and exec a process shows its parent's command, or none.
  return await look('the burner process starts', withinMs, () => {
    const found = [...presentProcesses()].find(
      (name) => !before.has(name) && readProc(`${name}/cmdline`)?.includes(text),
    )
    return found === undefined ? undefined : Number(found)
  })
}

/** Resolves to the moment at which a worker thread of this process had burnt its first CPU. */
export async function untilBurning(pid: number, withinMs = 10_000): Promise<number> {
  return await look('the burner burns', withinMs, () => {
    const burns = threadsOf(pid).some(
      (thread) =>
        readProc(`${pid}/task/${thread}/comm`)?.trim() === 'WorkerThread' &&
        Number(readProc(`${pid}/task/${thread}/schedstat`)?.split(' ')[0]) >= burningNs,
    )
    return burns ? performance.now() : undefined
  })
}

/** Resolves to the moment at which this process had gone. */
export async function untilGone(target: ProcessIdentity, withinMs = 10_000): Promise<number> {
  return await look('the burner is gone', withinMs, () =>
    isAlive(target) ? undefined : performance.now(),
  )
}

/** The process with this number. @throws Error when there is none */
export function identityOf(pid: number | undefined): ProcessIdentity {
  const found = pid === undefined ? undefined : identify(pid)
  if (!found) throw new Error(`The process ${pid} is gone too soon.`)
  return found
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function look<T>(what: string, withinMs: number, question: () => T | undefined): Promise<T> {
  const deadline = performance.now() + withinMs
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      const answer = question()
      if (answer === undefined && performance.now() < deadline) return
      clearInterval(timer)
      if (answer === undefined) reject(new Error(`Not within ${withinMs} ms: ${what}`))
      else resolve(answer)
    }, lookEveryMs)
  })
}
