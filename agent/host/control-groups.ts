import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { readProc } from './processes.ts'

/** One line of /proc/<pid>/cgroup. */
interface Membership {
  /** The line itself: a process has joined when its own file holds the same line. */
  readonly line: string
  readonly controllers: readonly string[]
  readonly path: string
}

interface GroupMount {
  readonly version: 1 | 2
  /** The group that is visible at the mount point; `/` unless it is a bind mount. */
  readonly root: string
  readonly mountPoint: string
  readonly controllers: readonly string[]
  readonly readOnly: boolean
}

/** A folder of a control group hierarchy and how membership shows in /proc/<pid>/cgroup. */
export interface GroupFolder {
  readonly folder: string
  readonly line: string
}

/** The CPU side of a process's control groups; memory and the rest are left out on purpose. */
export interface CpuGroups {
  readonly version: 1 | 2
  /** All that a process must join to burn as a member. */
  readonly join: readonly GroupFolder[]
  /** Where the quota is; its parents up to `quotaMount` limit it too. */
  readonly quota: string
  readonly quotaMount: string
  /** Where used CPU time is accounted. */
  readonly usage: string
  readonly cpuset: string | undefined
}

/** Why a process's control groups cannot be joined, in plain words. */
export class ControlGroupError extends Error {
  override readonly name = 'ControlGroupError'
}

/** Reads /proc/<pid>/cgroup. */
export function parseMemberships(text: string): Membership[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, controllers = '', ...path] = line.split(':')
      return { line, controllers: controllers.split(',').filter(Boolean), path: path.join(':') }
    })
}

/** Reads the control group mounts out of /proc/self/mountinfo. */
export function parseGroupMounts(text: string): GroupMount[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ')
    const [type, , options = ''] = after.split(' ')
    if (type !== 'cgroup' && type !== 'cgroup2') return []
    const [, , , root = '/', mountPoint = '', how = ''] = before.split(' ').map(unescapeMount)
    const version = type === 'cgroup' ? 1 : 2
    const readOnly = how.split(',').includes('ro')
    return [{ version, root, mountPoint, controllers: options.split(','), readOnly } as const]
  })
}

/** Where a group lies in the file system, or undefined when no mount shows it. */
export function groupFolder(
  membership: Membership,
  version: 1 | 2,
  mounts: readonly GroupMount[],
): { folder: string; mountPoint: string } | undefined {
  const mount = mounts.find(
    (candidate) =>
      candidate.version === version &&
      membership.controllers.every((name) => candidate.controllers.includes(name)) &&
      isBelow(membership.path, candidate.root),
  )
  if (!mount) return undefined
  const below = mount.root === '/' ? membership.path : membership.path.slice(mount.root.length)
  return { folder: join(mount.mountPoint, below), mountPoint: mount.mountPoint }
}

/**
 * The CPU control groups of a process, on cgroup v1 (cpu, cpuacct, cpuset; mounted together or
 * apart), v2 or both.
 * @throws ControlGroupError when one is not visible here, or is the root: that would be the host
 */
export function findCpuGroups(pid: number): CpuGroups {
  const memberships = parseMemberships(readProc(`${pid}/cgroup`) ?? '')
  const mounts = parseGroupMounts(readProc('self/mountinfo') ?? '')
  const old = memberships.filter((one) =>
    one.controllers.some((name) => ['cpu', 'cpuacct', 'cpuset'].includes(name)),
  )
  const cpuOnV1 = old.some((one) => one.controllers.includes('cpu'))
  const unified = memberships.filter((one) => one.line.startsWith('0::'))
  const wanted = cpuOnV1 ? old : unified
  const version = cpuOnV1 ? 1 : 2
  if (wanted.length === 0)
    throw new ControlGroupError(`Process ${pid} is in no CPU control group (is it gone?).`)
  const found = wanted.map((one) => ({ one, ...located(one, version, mounts, pid) }))
  const of = (controller: string) =>
    version === 2 ? found[0] : found.find(({ one }) => one.controllers.includes(controller))
  const quota = of('cpu')
  const usage = of('cpuacct')
  if (!quota || !usage)
    throw new ControlGroupError('The control groups cpu and cpuacct are not both mounted here.')
  return {
    version,
    join: found.map(({ one, folder }) => ({ folder, line: one.line })),
    quota: quota.folder,
    quotaMount: quota.mountPoint,
    usage: usage.folder,
    cpuset: of('cpuset')?.folder,
  }
}

function located(
  membership: Membership,
  version: 1 | 2,
  mounts: readonly GroupMount[],
  pid: number,
): { folder: string; mountPoint: string } {
  if (membership.path === '/' || membership.path.includes('/..'))
    throw new ControlGroupError(
      `The target has no control group of its own that is visible here (${membership.line}).`,
    )
  const at = groupFolder(membership, version, mounts)
  const members = at && readText(join(at.folder, 'cgroup.procs'))?.split('\n')
  if (!members?.includes(String(pid)))
    throw new ControlGroupError(
      `The control group "${membership.line}" of process ${pid} is not mounted here.`,
    )
  return at as { folder: string; mountPoint: string }
}

/** Why no process can join CPU control groups here, in plain words; undefined when one can. */
export function missingCpuGroups(): string | undefined {
  const mount = parseGroupMounts(readProc('self/mountinfo') ?? '').find(
    ({ version, mountPoint, controllers }) =>
      version === 1
        ? controllers.includes('cpu')
        : readText(join(mountPoint, 'cgroup.controllers'))?.split(' ').includes('cpu'),
  )
  if (!mount) return 'no cpu control group is mounted here'
  return mount.readOnly ? `the control groups at ${mount.mountPoint} are read-only` : undefined
}

/** CPU cores of this host that are online. */
export function hostCores(): number {
  return Math.max(cpus().length, availableParallelism())
}

/** What a group may use, in cores: the least of its quota, its parents' quotas, cpuset and host. */
export function capacityCores(groups: CpuGroups): number {
  let cores = hostCores()
  for (let folder = groups.quota; isBelow(folder, groups.quotaMount); folder = dirname(folder)) {
    cores = Math.min(cores, quotaCores(groups.version, folder))
    if (folder === groups.quotaMount) break
  }
  if (groups.cpuset === undefined) return cores
  const names = ['cpuset.cpus.effective', 'cpuset.effective_cpus', 'cpuset.cpus']
  const list = names.map((name) => readText(join(groups.cpuset as string, name))).find(Boolean)
  return list ? Math.min(cores, countList(list)) : cores
}

/** Seconds of CPU that a group has used so far; undefined when it is gone. */
export function groupCpuSeconds(groups: CpuGroups): number | undefined {
  if (groups.version === 1) {
    const text = readText(join(groups.usage, 'cpuacct.usage'))
    return text === undefined ? undefined : Number(text) / 1e9
  }
  const usage = /^usage_usec (\d+)/m.exec(readText(join(groups.usage, 'cpu.stat')) ?? '')
  return usage ? Number(usage[1]) / 1e6 : undefined
}

/** Counts a list of CPUs such as `0-3,8`. */
export function countList(list: string): number {
  return list
    .trim()
    .split(',')
    .map((range) => range.split('-').map(Number))
    .reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0)
}

function quotaCores(version: 1 | 2, folder: string): number {
  const [quota, period] =
    version === 1
      ? ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) => readText(join(folder, name)))
      : (readText(join(folder, 'cpu.max'))?.split(' ') ?? [])
  const cores = Number(quota) / Number(period)
  return cores > 0 ? cores : Infinity
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

function isBelow(path: string, root: string): boolean {
  return root === '/' || path === root || path.startsWith(`${root}/`)
}

/** mountinfo writes a space as `\040`, and so on. */
function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
}
