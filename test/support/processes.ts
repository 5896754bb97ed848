import { readdirSync, readFileSync } from 'node:fs'

/** One process as /proc shows it; `startTicks` tells it from a later one under the same pid. */
export interface ProcessInfo {
  readonly pid: number
  readonly parent: number
  readonly startTicks: number
  readonly cpuSeconds: number
  readonly command: string
}

/** All processes of this machine that are not zombies. */
export function processes(): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
}

function readProcess(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    return {
      pid,
      parent: Number(fields[1]),
      startTicks: Number(fields[19]),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
    }
  } catch {
    return undefined
  }
}

/** The children of a process, their children, and so on. */
export function descendants(pid: number): ProcessInfo[] {
  const all = processes()
  const found: ProcessInfo[] = []
  for (let parents = new Set([pid]); parents.size > 0;) {
    const children = all.filter((one) => parents.has(one.parent))
    found.push(...children)
    parents = new Set(children.map((one) => one.pid))
  }
  return found
}

/** Those of these processes that still live (a new process under an old pid is another one). */
export function stillThere(before: readonly ProcessInfo[]): ProcessInfo[] {
  const now = new Map(processes().map((one) => [one.pid, one.startTicks]))
  return before.filter((one) => now.get(one.pid) === one.startTicks)
}

/** Processes that were started with this value of an environment variable. */
export function withEnvironment(name: string, value: string): ProcessInfo[] {
  return processes().filter(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${name}=${value}`)
    } catch {
      return false
    }
  })
}

/** The CPU time that these processes have used by now, in seconds; those that are gone count none. */
export function cpuSeconds(of: readonly ProcessInfo[]): number {
  const now = new Map(processes().map((one) => [one.pid, one]))
  return of.reduce((sum, one) => sum + (now.get(one.pid)?.cpuSeconds ?? 0), 0)
}
