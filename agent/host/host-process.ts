import { readProc } from './processes.ts'

/** The engine mounts files of a container's own folder into it. */
const containerFolder = /\/containers\/([0-9a-f]{64})\//

/**
 * The number of a process that sees the host as the host does: the agent itself, or the host's first
 * process when the agent runs in a container that shares the host's process ids.
 */
export function hostProcess(): number {
  const own = containerFolder.exec(readProc('self/mountinfo') ?? '')?.[1]
  const isHostsFirst = own !== undefined && !(readProc('1/mountinfo') ?? own).includes(own)
  return isHostsFirst ? 1 : process.pid
}
