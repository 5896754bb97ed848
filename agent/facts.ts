import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { askProgram } from './host/ask-program.ts'
import { hostCores } from './host/control-groups.ts'
import { makePrivateFolder, writeDurably } from './host/durable-file.ts'
import { bootId, readProc } from './host/processes.ts'

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

/** What `host-facts.ts` prints. */
interface OperatingSystem {
  readonly platform: string
  readonly distro: string
  readonly release: string
}

interface Kept {
  readonly key: string
  readonly os: OperatingSystem
}

const fileName = 'operating-system.json'
/** It looks the host's own name up, which may hang where the network is broken. */
const timeoutMs = 10_000
/** What systeminformation itself says where it knows no better. */
const unknown: OperatingSystem = { platform: '', distro: 'unknown', release: 'unknown' }

/**
 * Looks the host over. What cannot be found out is `unknown`; never rejects. What the operating system
 * is takes an eighth of a second to find out, so it is kept in the state folder until the next boot
 * or upgrade: an agent that comes back after a crash has no time for that.
 */
export async function readFacts(stateDir: string): Promise<Facts> {
  const os = readKept(stateDir) ?? (await askAndKeep(stateDir))
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

function readKept(stateDir: string): OperatingSystem | undefined {
  try {
    const kept = JSON.parse(readFileSync(join(stateDir, fileName), 'utf8')) as Kept
    return kept.key === currentKey() ? kept.os : undefined
  } catch {
    // Not there, or not ours to read: then it is asked.
    return undefined
  }
}

async function askAndKeep(stateDir: string): Promise<OperatingSystem> {
  const key = currentKey()
  let os: OperatingSystem
  try {
    os = (await askProgram('host-facts', [], timeoutMs)) as OperatingSystem
  } catch {
    return unknown
  }
  try {
    makePrivateFolder(stateDir)
    writeDurably(join(stateDir, fileName), JSON.stringify({ key, os } satisfies Kept))
  } catch {
    // A folder that cannot be written stops the agent elsewhere, with a better message.
  }
  return os
}

/** Another boot or another release has another key. */
function currentKey(): string {
  const release = statSync('/etc/os-release', { throwIfNoEntry: false })
  return `${bootId()} ${release?.mtimeMs ?? ''}`
}
