import { readdirSync, readFileSync } from 'node:fs'

/** A process, safe against reuse of its number: the start time is in clock ticks since boot. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startTicks: number
}

interface ProcessStat {
  /** One letter as in proc(5): R, S, D, T, Z, X … */
  readonly state: string
  readonly startTicks: number
}

/** Text of a file below /proc, or undefined when the process is gone. */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return undefined
  }
}

/** State and start time of a process, or undefined when there is none. */
export function readStat(pid: number): ProcessStat | undefined {
  const text = readProc(`${pid}/stat`)
  if (text === undefined) return undefined
  // The second field is the command in brackets and may itself hold brackets and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? 'X', startTicks: Number(fields[19]) }
}

/** Whether exactly this process still runs; a zombie does not. */
export function isAlive(process: ProcessIdentity): boolean {
  const stat = readStat(process.pid)
  return stat?.startTicks === process.startTicks && stat.state !== 'Z' && stat.state !== 'X'
}

/** The running process with this number, or undefined. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid)
  return stat && { pid, startTicks: stat.startTicks }
}

/** Every live process that has this exact text as one of its arguments. */
export function findByArgument(argument: string): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readProc(`${name}/cmdline`)?.split('\0').includes(argument))
    .map((name) => identify(Number(name)))
    .filter((found) => found !== undefined)
    .filter(isAlive)
}

/** Seconds of CPU that all threads of a process have used so far; undefined when it is gone. */
export function cpuSeconds(pid: number): number | undefined {
  // Threads leave a dying process one by one, and its sum with them.
  if (/[ZX]/.test(readStat(pid)?.state ?? 'X')) return undefined
  let nanoseconds = 0
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const text = readProc(`${pid}/task/${thread}/schedstat`)
      if (text !== undefined) nanoseconds += Number(text.split(' ')[0])
    }
  } catch {
    return undefined
  }
  return nanoseconds / 1e9
}

/** Seconds of CPU that the whole host has spent busy since boot, time stolen by its host included. */
export function hostBusySeconds(): number {
  const line = readProc('stat')?.split('\n')[0] ?? ''
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  // USER_HZ is 100 on every architecture that Node runs on.
  return (user + nice + system + irq + softirq + steal) / 100
}

/** Names this boot of the kernel; another one means that everything in memory is gone. */
export function bootId(): string {
  return (readProc('sys/kernel/random/boot_id') ?? '').trim()
}

/**
 * Kills a process at once and waits until it is gone.
 * @returns false when it is still there after `timeoutMs`
 */
export async function killAndWait(target: ProcessIdentity, timeoutMs = 2000): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (isAlive(target)) {
    try {
      process.kill(target.pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') return false
    }
    if (performance.now() > until) return false
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
  return true
}
