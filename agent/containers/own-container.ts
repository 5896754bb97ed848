import { readlinkSync } from 'node:fs'
import type { ContainerTarget } from '../faults/fault.ts'
import { readProc } from '../host/processes.ts'

/** What says in which container a process lives; the fields may be empty. */
export interface OwnTraces {
  /** /proc/self/cgroup; names the container where control groups are the host's. */
  readonly cgroup: string
  /** /proc/self/mountinfo; the engine mounts files of the container's own folder. */
  readonly mountinfo: string
  /** The mount namespace: nobody else but the container's own processes is in it. */
  readonly mounts: string | undefined
}

/** Whether the agent itself lives in this container. */
export function isOwnContainer(target: ContainerTarget, own: OwnTraces = readTraces()): boolean {
  if (own.mounts !== undefined && own.mounts === mountsOf(target.init.pid)) return true
  return ownIds(own).has(target.id)
}

/** The ids of the containers that these traces name; none outside of containers. */
export function ownIds({
  cgroup,
  mountinfo,
}: Pick<OwnTraces, 'cgroup' | 'mountinfo'>): Set<string> {
  const inGroup = [...cgroup.matchAll(/[/-]([0-9a-f]{64})(?=\.scope|\/|$)/gm)]
  const files =
    /\/([0-9a-f]{64})\/(?:hostname|hosts|resolv\.conf) \/etc\/(?:hostname|hosts|resolv\.conf) /g
  const inMounts = [...mountinfo.matchAll(files)]
  return new Set([...inGroup, ...inMounts].map(([, id]) => id as string))
}

function readTraces(): OwnTraces {
  return {
    cgroup: readProc('self/cgroup') ?? '',
    mountinfo: readProc('self/mountinfo') ?? '',
    mounts: mountsOf('self'),
  }
}

function mountsOf(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`)
  } catch {
    return undefined
  }
}
