import { readdirSync } from 'node:fs'
import { readProc } from '../../agent/host/processes.ts'

/** What threads did while they were watched, in cores: 0.5 is half a second in each second. */
export interface Cores {
  readonly used: number
  /** Ready to run, but another was running: more than one when several waited at once. */
  readonly waited: number
}

/** Starts to watch threads, by the kernel's own account. Ended by calling the result. */
export function watchCores(threads: () => readonly string[]): () => Cores {
  const [before, startedAt] = [timesOf(threads()), performance.now()]
  return () => {
    const nanoseconds = (performance.now() - startedAt) * 1e6
    const sum = { used: 0, waited: 0 }
    for (const [thread, [used, waited]] of timesOf(threads())) {
      const [usedBefore, waitedBefore] = before.get(thread) ?? [0, 0]
      sum.used += (used - usedBefore) / nanoseconds
      sum.waited += (waited - waitedBefore) / nanoseconds
    }
    return sum
  }
}

/** The main threads of processes. */
export function mainThreads(...pids: readonly number[]): string[] {
  return pids.map((pid) => `${pid}/task/${pid}`)
}

/** All threads of a process but the main one. */
export function otherThreads(pid: number): string[] {
  return threadsOf(pid).filter((thread) => thread !== `${pid}/task/${pid}`)
}

/** All threads of a process. */
export function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `${pid}/task/${thread}`)
  } catch {
    return []
  }
}

function timesOf(threads: readonly string[]): Map<string, [number, number]> {
  return new Map(
    threads.flatMap((thread) => {
      const [used, waited] = readProc(`${thread}/schedstat`)?.split(' ').map(Number) ?? []
      return used === undefined || waited === undefined ? [] : [[thread, [used, waited]] as const]
    }),
  ) as Map<string, [number, number]>
}
