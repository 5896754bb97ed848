import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { captureFiles, captureGroups, captureProcesses, captureSysctls } from './host-files.ts'
import { captureNetwork } from './host-network.ts'

const run = promisify(execFile)

/** Everything of a host that an attack could leave behind, by section; counters and ages left out. */
export type HostState = Readonly<Record<string, readonly string[]>>

export interface CaptureOptions {
  /** Folders whose files are listed with mode, owner and a digest. */
  readonly folders?: readonly string[]
  /** Paths (whole, or as starts of paths that end in a slash) that may change. */
  readonly except?: readonly string[]
  /** Processes with an argument that starts like this are listed. */
  readonly marker?: string
}

/** Captures the state of the host as this process sees it: its network namespace, its files. */
export async function captureHere(options: CaptureOptions = {}): Promise<HostState> {
  const { folders = ['/etc', '/run'], except = [], marker = 'temblor:' } = options
  return {
    ...(await captureNetwork()),
    sysctls: captureSysctls('/proc/sys/net'),
    processes: captureProcesses(marker),
    'control groups': captureGroups('/sys/fs/cgroup'),
    files: folders.flatMap((folder) => captureFiles(folder, except)),
  }
}

/** Captures the state of a named network namespace (`ip netns`). */
export async function captureIn(name: string, options: CaptureOptions = {}): Promise<HostState> {
  const program = fileURLToPath(import.meta.url)
  const command = ['netns', 'exec', name, process.execPath, program, JSON.stringify(options)]
  const { stdout } = await run('ip', command, { maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout) as HostState
}

/** What is in one state and not in the other, a line each: `- ` is missing, `+ ` is new. */
export function compareStates(before: HostState, after: HostState): string[] {
  const sections = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return sections.flatMap((section) => {
    const [old = [], now = []] = [before[section], after[section]]
    return [
      ...without(old, now).map((line) => `- ${section}: ${line}`),
      ...without(now, old).map((line) => `+ ${section}: ${line}`),
    ]
  })
}

/** @throws Error that lists every difference */
export function expectSameState(before: HostState, after: HostState): void {
  const differences = compareStates(before, after)
  if (differences.length > 0)
    throw new Error(`The state of the host is not as before:\n${differences.join('\n')}`)
}

/** Lines of `all` that are not in `others`, each as often as it is there more often. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return all.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = JSON.parse(process.argv[2] ?? '{}') as CaptureOptions
  process.stdout.write(JSON.stringify(await captureHere(options)))
}
