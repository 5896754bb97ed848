import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { parseEnv } from 'node:util'
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

/** Of these two the first one that is there counts: os-release(5). */
const releaseFiles = ['/etc/os-release', '/usr/lib/os-release']

/** Looks the host over. What cannot be found out is `unknown`. */
export function readFacts(): Facts {
  const { name, version } = parseRelease(readRelease())
  // As the known interface writes it: Linux, not linux.
  const osType = process.platform.replace(/^./, (letter) => letter.toUpperCase())
  return {
    osType,
    osName: name,
    osVersion: version,
    cpuCores: hostCores(),
    memoryBytes: Number(/^MemTotal:\s+(\d+)/.exec(readProc('meminfo') ?? '')?.[1] ?? 0) * 1024,
    nativeTags: { 'os-type': osType, 'os-version': version, hostname: hostname() },
  }
}

/**
 * Name and version in a file of os-release(5): assignments as a shell reads them. A rolling
 * distribution has no version.
 */
export function parseRelease(text: string): { name: string; version: string } {
  const { NAME, VERSION_ID } = parseEnv(text)
  return { name: NAME || 'unknown', version: VERSION_ID || 'unknown' }
}

function readRelease(): string {
  for (const file of releaseFiles)
    try {
      return readFileSync(file, 'utf8')
    } catch {
      // Not there: the next one.
    }
  return ''
}
