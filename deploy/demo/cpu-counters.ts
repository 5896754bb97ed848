import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * The kernel's own CPU counters, read without asking the agent. Everything is in milliseconds of CPU
 * time since the thing that is counted began.
 */

/** USER_HZ: the unit of /proc, the same on every Linux that Node runs on. */
const tickMs = 10

/** Reads the counter of the control group that a process is in. @throws Error when there is none */
export function controlGroupCounter(pid: number): () => number {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n')
  const groups = lines.map((line) => line.split(':') as [string, string, string])
  const mounts = controlGroupMounts()
  const v1 = groups.find(([, controllers]) => controllers.split(',').includes('cpuacct'))
  const mountV1 = mounts.find((m) => m.type === 'cgroup' && m.options.includes('cpuacct'))
  if (v1 && mountV1) {
    const file = path.join(mountV1.point, path.relative(mountV1.root, v1[2]), 'cpuacct.usage')
    return () => Number(readFileSync(file, 'utf8')) / 1e6
  }
  const v2 = groups.find(([id]) => id === '0')
  const mountV2 = mounts.find((m) => m.type === 'cgroup2')
  if (!v2 || !mountV2) throw new Error('No control group with a CPU counter is mounted.')
  const file = path.join(mountV2.point, path.relative(mountV2.root, v2[2]), 'cpu.stat')
  return () => Number(/usage_usec (\d+)/.exec(readFileSync(file, 'utf8'))?.[1]) / 1e3
}

function controlGroupMounts(): { root: string; point: string; type: string; options: string[] }[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [left = '', right = ''] = line.split(' - ')
      const [, , , root = '/', point = ''] = left.split(' ')
      const [type = '', , options = ''] = right.split(' ')
      return type.startsWith('cgroup') ? [{ root, point, type, options: options.split(',') }] : []
    })
}

/** The processes of which one argument holds this text. */
export function processesWithArgument(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readText(`/proc/${pid}/cmdline`)?.includes(text))
    .map(Number)
}

/** CPU time of a process with all its threads; undefined when it is gone (a zombie is gone). */
export function processCpuMs(pid: number): number | undefined {
  const fields = readText(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /, '')
    .split(' ')
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** Time that all cores together spent idle. */
export function hostIdleMs(): number {
  const fields = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? []
  const [idle, waitingForDisk] = [Number(fields[4]), Number(fields[5])]
  return (idle + waitingForDisk) * tickMs
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
