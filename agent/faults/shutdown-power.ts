import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync, realpathSync, statfsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type Koffi from 'koffi'
import { readProc } from '../host/processes.ts'
import { FaultError } from './fault.ts'

export type PowerChange = 'reboot' | 'poweroff'

/** What takes the host down that the agent runs on. */
export interface HostPower {
  /** Why it cannot, in plain words without a full stop; undefined when it can. */
  problem(): string | undefined
  /** Tells whoever is logged in; a host that cannot do that stays silent. */
  announce(text: string): Promise<void>
  /**
   * Resolves when the host has begun to go down, by whatever it took.
   * @throws FaultError when it refuses; `survived` settles when it is up nevertheless
   */
  goDown(change: PowerChange): Promise<{ readonly survived: Promise<string> }>
  /** Whether the host is going down now. */
  isGoingDown(): Promise<boolean>
  /** A host that runs this long after a strike did not go down. */
  readonly patienceMs: number
}

/** What the machine itself is asked; tests put a record in its place. */
export interface Machine {
  run(program: string, args: readonly string[]): Promise<string>
  /** reboot(2): at once, without stopping anything. @throws Error when the kernel refuses */
  rebootCall(change: PowerChange): void
  exists(path: string): boolean
  /** What this process lacks for taking its host down; plain words without a full stop. */
  problem(): string | undefined
  /** Whether this process sees other files than the host's first process: it is in a container. */
  hasOwnFiles(): boolean
}

/** Time that init has to take the host down in order before the kernel is asked to do it. */
const orderlyMs = 60_000
/** Time after the last resort in which a host that still runs counts as having survived. */
const lastResortMs = 15_000

/** From <linux/reboot.h>. */
const commands = { reboot: 0x01234567, poweroff: 0x4321fedc } as const
const capabilitySysBoot = 22n
/** The process namespace that the kernel started with, see <linux/proc_ns.h>. */
const firstPidNamespace = 'pid:[4026531836]'

/** The power of this host, for an agent that keeps its journal in `stateDir`. */
export function createHostPower(
  stateDir: string,
  machine: Machine = thisMachine,
  waitsMs: { orderly: number; lastResort: number } = {
    orderly: orderlyMs,
    lastResort: lastResortMs,
  },
): HostPower {
  return {
    patienceMs: 45_000,
    problem: () => machine.problem() ?? journalProblem(stateDir),
    async announce(text) {
      await runOnHost(machine, 'wall', [text]).catch(() => undefined)
    },
    async goDown(change) {
      // Asked again here, so that nothing that forgot to ask can take a host down.
      const problem = machine.problem() ?? journalProblem(stateDir)
      if (problem !== undefined) throw new FaultError('unsupported', `It cannot: ${problem}.`)
      await runOnHost(machine, 'sync', []).catch(() => undefined)
      if (!(await askInit(machine, change))) machine.rebootCall(change)
      return { survived: lastResort(machine, change, waitsMs) }
    },
    async isGoingDown() {
      if (!hasSystemd(machine)) return false
      const ask = runOnHost(machine, 'systemctl', ['list-jobs', '--no-legend'])
      return /\b(shutdown|reboot|poweroff|halt|kexec)\.target\b/.test(await ask.catch(() => ''))
    },
  }
}

/** Asks the init system; false when there is none that would do it. */
async function askInit(machine: Machine, change: PowerChange): Promise<boolean> {
  const ways: [string, string[]][] = []
  if (hasSystemd(machine)) ways.push(['systemctl', ['--no-wall', change]])
  if (hasShutdown(machine)) ways.push(['shutdown', [change === 'reboot' ? '-r' : '-h', 'now']])
  for (const [program, args] of ways) {
    try {
      await runOnHost(machine, program, args)
      return true
    } catch {
      // The kernel is asked instead.
    }
  }
  return false
}

/** Resolves when the host is up although init and then the kernel were asked. */
async function lastResort(
  machine: Machine,
  change: PowerChange,
  waitsMs: { orderly: number; lastResort: number },
): Promise<string> {
  await sleep(waitsMs.orderly, undefined, { ref: false })
  let refusal = ''
  try {
    await runOnHost(machine, 'sync', []).catch(() => undefined)
    machine.rebootCall(change)
    await sleep(waitsMs.lastResort, undefined, { ref: false })
  } catch (error) {
    refusal = ` ${(error as Error).message}`
  }
  return `The host did not go down: neither its init system nor the kernel did it.${refusal}`
}

function hasSystemd(machine: Machine): boolean {
  return machine.exists(`${hostRoot(machine)}/run/systemd/system`)
}

function hasShutdown(machine: Machine): boolean {
  const folders = ['/usr/sbin', '/sbin', '/usr/bin', '/bin']
  return folders.some((folder) => machine.exists(`${hostRoot(machine)}${folder}/shutdown`))
}

/** An agent in a container sees the host's files through the host's first process. */
function hostRoot(machine: Machine): string {
  return machine.hasOwnFiles() ? '/proc/1/root' : ''
}

/** Runs a program of the host, also from a container that shares the host's processes. */
function runOnHost(machine: Machine, program: string, args: readonly string[]): Promise<string> {
  if (!machine.hasOwnFiles()) return machine.run(program, args)
  return machine.run('nsenter', ['--target=1', '--mount', '--', program, ...args])
}

function processProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root, so it cannot take the host down'
  const capabilities = /^CapEff:\s*([0-9a-f]+)/m.exec(readProc('self/status') ?? '')?.[1] ?? '0'
  if (((BigInt(`0x${capabilities}`) >> capabilitySysBoot) & 1n) === 0n)
    return 'without the capability SYS_BOOT, so it cannot take the host down'
  if (readLink('/proc/self/ns/pid') !== firstPidNamespace)
    return 'in a container that does not share the processes of the host (pid=host)'
  return undefined
}

const memoryFileSystems = new Set([0x01021994, 0x858458f6])

/**
 * An order that is taken twice would take the host down twice: what says that it was done must
 * outlast the host.
 */
export function journalProblem(stateDir: string): string | undefined {
  const path = realPathOf(stateDir)
  const passing = ['/tmp', '/var/tmp', '/run', '/dev', realPathOf(tmpdir())]
  const isPassing = passing.some((folder) => path === folder || path.startsWith(`${folder}/`))
  if (!isPassing && !memoryFileSystems.has(fileSystemOf(path))) return undefined
  return `its journal is in ${stateDir}, which does not outlast the host (TEMBLOR_AGENT_DIR)`
}

function fileSystemOf(path: string): number {
  try {
    return statfsSync(path).type
  } catch {
    return 0
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A program that takes longer is not waited for. */
const programTimeoutMs = 10_000
const programPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const thisMachine: Machine = {
  problem: processProblem,
  hasOwnFiles: () => readLink('/proc/1/ns/mnt') !== readLink('/proc/self/ns/mnt'),
  async run(program, args) {
    const options = { timeout: programTimeoutMs, env: { PATH: programPath, LC_ALL: 'C' } }
    return (await promisify(execFile)(program, [...args], options)).stdout
  },
  exists(path) {
    // A link of the host's may point to nothing here.
    return existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined
  },
  rebootCall(change) {
    // Not loaded by an agent that never gets here.
    const koffi = createRequire(import.meta.url)('koffi') as typeof Koffi
    const reboot = koffi.load(null).func('int reboot(int command)')
    if (reboot(commands[change]) !== 0)
      throw new Error(`The kernel refused to ${change} (errno ${koffi.errno()}).`)
  },
}
