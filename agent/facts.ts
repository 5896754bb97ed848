import { hostname } from 'node:os'
import { hostCores } from './host/control-groups.ts'
import { readProc } from './host/processes.ts'

/** What this host is; does not change while the agent runs. */
export interface Facts {
  readonly osType: string
  readonly osName: string
  readonly osVersion: string
  readonly cpuCores: number
  readonly memoryBytes: number
  /** Tags that every host has without being told. */
  readonly nativeTags: Readonly<Record<string, string>>
}

/** Looks the host over. Loads systeminformation for that only. */
export async function readFacts(): Promise<Facts> {
  const { default: systeminformation } = await import('systeminformation')
  const os = await systeminformation.osInfo()
  // As the known interface writes it: Linux, not linux.
  const osType = (os.platform || process.platform).replace(/^./, (letter) => letter.toUpperCase())
  return {
    osType,
    osName: os.distro,
    osVersion: os.release,
    cpuCores: hostCores(),
    memoryBytes: Number(/^MemTotal:\s+(\d+)/.exec(readProc('meminfo') ?? '')?.[1] ?? 0) * 1024,
    nativeTags: { 'os-type': osType, 'os-version': os.release, hostname: hostname() },
  }
}
