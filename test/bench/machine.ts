import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { readProc } from '../../agent/host/processes.ts'

/** More CPU than this, in cores, taken by others makes a figure one of a busy machine. */
const busyCores = 0.1
/** USER_HZ: the unit of /proc, the same on every Linux that Node runs on. */
const ticksPerSecond = 100

/** The machine in one line. */
export function describeMachine(): string {
  const gibibytes = (totalmem() / 2 ** 30).toFixed(0)
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU'
  return `${availableParallelism()} cores (${model}), ${gibibytes} GiB, Linux ${release()}, Node ${process.version}`
}

/** Load average over one and five minutes. */
export function loadAverage(): string {
  const [one = 0, five = 0] = loadavg()
  return `${one.toFixed(2)} / ${five.toFixed(2)}`
}

/** What others used of the CPU while something was measured, in cores. */
export interface ForeignCpu {
  readonly cores: number
  /** So much that the figure is to be doubted. */
  readonly isBusy: boolean
}

/** Starts to watch all processes but this one and its descendants. Ended by calling the result. */
export function watchForeignCpu(): () => ForeignCpu {
  const before = foreignSeconds()
  const startedAt = performance.now()
  return () => {
    const seconds = (performance.now() - startedAt) / 1000
    // A child that nobody waits for takes its sum with it.
    const cores = Math.max(0, foreignSeconds() - before) / seconds
    return { cores, isBusy: cores > busyCores }
  }
}

/** The last cell of a row: what others took, and a mark when it was much. */
export function foreignCell(...seen: readonly ForeignCpu[]): string {
  const most = Math.max(...seen.map(({ cores }) => cores))
  return `${most.toFixed(2)}${seen.some(({ isBusy }) => isBusy) ? ' busy' : ''}`
}

/** The pids of the descendants of a process, itself included. */
export function familyOf(pid: number): Set<number> {
  return familyIn(readProcesses(), pid)
}

interface ProcessTimes {
  readonly parent: number
  /** Its own and that of the children it waited for, so that no death makes the sum smaller. */
  readonly ticks: number
}

function foreignSeconds(): number {
  const all = readProcesses()
  const own = familyIn(all, process.pid)
  let ticks = 0
  for (const [pid, one] of all) if (!own.has(pid)) ticks += one.ticks
  return ticks / ticksPerSecond
}

function familyIn(all: ReadonlyMap<number, ProcessTimes>, root: number): Set<number> {
  const family = new Set([root])
  const children = Map.groupBy(all, ([, { parent }]) => parent)
  for (const pid of family) for (const [child] of children.get(pid) ?? []) family.add(child)
  return family
}

function readProcesses(): Map<number, ProcessTimes> {
  const found = new Map<number, ProcessTimes>()
  for (const name of readdirSync('/proc')) {
    const text = /^\d+$/.test(name) ? readProc(`${name}/stat`) : undefined
    if (text === undefined) continue
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number)
    found.set(Number(name), {
      parent: Number(fields[1]),
      ticks: user + system + childUser + childSystem,
    })
  }
  return found
}

/** Memory of a process in MB: resident, anonymous, and its share of what it has in common. */
export function memoryOf(pid: number): { rss: number; anonymous: number; pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1024) / 1e6
  return { rss: megabytes('Rss'), anonymous: megabytes('Anonymous'), pss: megabytes('Pss') }
}
