import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'
import { GuestAgentClient, type GuestResult } from './guest-agent.ts'
import { guestImage, type GuestImage } from './image.ts'
import { projectDisk } from './project-disk.ts'
import {
  agentSocket,
  consoleFile,
  diskFile,
  startQemu,
  type Machine,
  type Qemu,
  type QemuEnd,
} from './qemu.ts'
import { tool } from './tool.ts'

/** The machine that runs the tests, as a guest sees it: what listens on loopback here is there. */
export const testMachine = '10.0.2.2'

export interface GuestOptions {
  /** Host name of the guest: letters, digits and hyphens. */
  readonly name: string
  readonly memoryMb?: number
  /** Further words for the kernel's command line. */
  readonly kernelArgs?: readonly string[]
}

export interface RunOptions {
  /** After this long the program is killed and `run` fails; 60 s when not given. */
  readonly timeoutMs?: number
  readonly input?: string | Buffer
}

/** A real host: Debian with systemd in an emulated machine, this checkout at /opt/temblor. */
export interface Guest {
  readonly name: string
  /** Process id of QEMU. */
  readonly pid: number
  /** Resolves when the guest has powered off (code 0) or was killed. */
  readonly exited: Promise<QemuEnd>
  /** Runs a program in the guest to its end, whatever its exit code. */
  run(command: readonly string[], options?: RunOptions): Promise<GuestResult>
  /** Runs a program that must succeed. @returns stdout @throws Error with what it printed */
  ok(command: readonly string[], options?: RunOptions): Promise<string>
  /** Has systemd end this boot. Nobody is left to tell how the command ended, so nobody is asked. */
  order(end: 'reboot' | 'poweroff'): Promise<void>
  /** Writes a file with its folders; it is on the guest's disk when this returns. */
  write(path: string, content: string | Buffer, mode?: number): Promise<void>
  /** Reads a text file. @throws Error when there is none */
  read(path: string): Promise<string>
  /** The id that the guest's kernel has made at this boot. */
  bootId(): Promise<string>
  /** Waits until the guest answers. @throws Error with the console when QEMU ends or time is up */
  untilUp(withinMs?: number): Promise<void>
  /** Waits until the guest answers from another boot than this one. */
  untilRebooted(fromBootId: string, withinMs?: number): Promise<void>
  /** A power cut: QEMU is killed. What the guest has synced is on its disk. */
  kill(): Promise<void>
  /** Switches a guest on again that has powered off or lost its power; its disk is as it was. */
  start(): Promise<void>
  /** What the kernel and systemd have printed, over all boots. */
  console(): string
  /** The last lines of console and journal, to be shown when a test has failed. */
  diagnosis(): Promise<string>
  /** Ends QEMU and removes the guest's disk. */
  [Symbol.asyncDispose](): Promise<void>
}

const upWithinMs = 150_000
const runTimeoutMs = 60_000

/** What every guest starts from, and writes to in layers of its own. */
interface GuestDisks {
  readonly image: GuestImage
  readonly project: string
}

let disks: Promise<GuestDisks> | undefined

/** The disks for all guests of this process; made at the first call (a minute, or from the cache). */
export function guestDisks(): Promise<GuestDisks> {
  disks ??= makeDisks()
  return disks
}

async function makeDisks(): Promise<GuestDisks> {
  return { image: await guestImage(), project: await projectDisk() }
}

/** Makes a guest with a fresh disk, boots it and waits until it answers (10 to 25 s). */
export async function startGuest(options: GuestOptions): Promise<Guest> {
  const { name, memoryMb = 768, kernelArgs = [] } = options
  const { image, project } = await guestDisks()
  const dir = mkdtempSync(join(tmpdir(), 'temblor-guest-'))
  const machine: Machine = { name, memoryMb, kernelArgs, image, project, dir }
  await tool('qemu-img', [
    'create',
    '-q',
    '-f',
    'qcow2',
    '-b',
    image.disk,
    '-F',
    'raw',
    diskFile(dir),
  ])
  const guest = new EmulatedGuest(machine)
  liveGuests.add(guest)
  try {
    const startedAt = performance.now()
    await guest.start()
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stderr.write(`Guests: ${name} answers after ${seconds} s.\n`)
    return guest
  } catch (error) {
    await guest[Symbol.asyncDispose]()
    throw error
  }
}

/** The guests of this process that are not disposed of. */
export const liveGuests = new Set<Guest>()

class EmulatedGuest implements Guest {
  readonly #machine: Machine
  #qemu: Qemu | undefined
  #agent: GuestAgentClient | undefined
  #consoleAtStart = 0

  constructor(machine: Machine) {
    this.#machine = machine
  }

  get name(): string {
    return this.#machine.name
  }

  get pid(): number {
    return this.#running().child.pid as number
  }

  get exited(): Promise<QemuEnd> {
    return this.#running().exited
  }

  async run(command: readonly string[], options: RunOptions = {}): Promise<GuestResult> {
    return await this.#on().run(command, options.timeoutMs ?? runTimeoutMs, options.input)
  }

  async order(end: 'reboot' | 'poweroff'): Promise<void> {
    await this.#on().start(['systemctl', end])
  }

  async ok(command: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, options)
    if (code === 0) return stdout
    throw new Error(`${command.join(' ')} in ${this.name}: exit ${code}\n${stdout}${stderr}`)
  }

  async write(path: string, content: string | Buffer, mode = 0o644): Promise<void> {
    const options = ['-D', '-m', mode.toString(8)]
    await this.ok(['install', ...options, '/dev/stdin', path], { input: content })
    await this.ok(['sync', path])
  }

  read(path: string): Promise<string> {
    return this.ok(['cat', path])
  }

  async bootId(): Promise<string> {
    return (await this.read('/proc/sys/kernel/random/boot_id')).trim()
  }

  async untilUp(withinMs = upWithinMs): Promise<void> {
    await this.#until('answers', withinMs, async (agent) => await agent.isUp(1000))
  }

  async untilRebooted(fromBootId: string, withinMs: number = upWithinMs): Promise<void> {
    try {
      if ((await this.#untilOtherBoot(fromBootId, withinMs)) === 'hangs') await this.#restart()
    } catch (error) {
      if (!this.#crashedAtRestart()) throw error
      await this.start()
    }
  }

  /** QEMU 7.2 itself crashes now and then in the moment in which a guest restarts. */
  #crashedAtRestart(): boolean {
    const isRestart = this.console().trimEnd().endsWith('reboot: Restarting system')
    return isRestart && this.#running().child.signalCode === 'SIGSEGV'
  }

  /** Now and then a processor hangs while QEMU 7.2 boots; the kernel says so after 26 s. */
  #hangsAtBoot(): boolean {
    const ofThisStart = this.console().slice(this.#consoleAtStart)
    return ofThisStart.split('reboot: Restarting system').at(-1)?.includes('soft lockup') ?? false
  }

  async #untilOtherBoot(fromBootId: string, withinMs = upWithinMs): Promise<'hangs' | 'up'> {
    return await this.#until('answers from another boot', withinMs, async (agent) => {
      if (!(await agent.isUp(1000))) return this.#hangsAtBoot() && 'hangs'
      return (await this.bootId()) !== fromBootId && 'up'
    })
  }

  async #restart(): Promise<void> {
    await this.kill()
    await this.#switchOn()
    await this.untilUp()
  }

  async kill(): Promise<void> {
    const { child, exited } = this.#running()
    child.kill('SIGKILL')
    await exited
    this.#agent?.close()
    this.#agent = undefined
  }

  async start(): Promise<void> {
    await this.#switchOn()
    const end = await this.#until('answers', upWithinMs, async (agent) =>
      (await agent.isUp(1000)) ? 'up' : this.#hangsAtBoot() && 'hangs',
    )
    if (end === 'hangs') await this.#restart()
  }

  async #switchOn(): Promise<void> {
    const { dir } = this.#machine
    if (this.#qemu && this.#qemu.child.exitCode === null && this.#qemu.child.signalCode === null)
      throw new Error(`Guest ${this.name} is running.`)
    this.#agent?.close()
    rmSync(agentSocket(dir), { force: true })
    this.#consoleAtStart = this.console().length
    const qemu = startQemu(this.#machine)
    this.#qemu = qemu
    await Promise.race([
      qemu.exited.then(() => Promise.reject(new Error(`QEMU of guest ${this.name} has ended.`))),
      until(`QEMU of guest ${this.name} runs`, () => existsSync(agentSocket(dir))),
    ])
    this.#agent = new GuestAgentClient(agentSocket(dir))
  }

  console(): string {
    const file = consoleFile(this.#machine.dir)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  async diagnosis(): Promise<string> {
    const lines = ['journalctl', '--no-pager', '-q', '-o', 'short-monotonic', '-n', '60']
    const journal = await this.run(lines).then(
      (result) => result.stdout,
      (error: unknown) => String(error),
    )
    return `Console of ${this.name}:\n${lastLines(this.console())}\nJournal of ${this.name}:\n${journal}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent?.close()
    this.#qemu?.child.kill('SIGKILL')
    await this.#qemu?.exited.catch(() => {})
    rmSync(this.#machine.dir, { recursive: true, force: true })
    liveGuests.delete(this)
  }

  #on(): GuestAgentClient {
    if (!this.#agent) throw new Error(`Guest ${this.name} is switched off.`)
    return this.#agent
  }

  #running(): Qemu {
    if (!this.#qemu) throw new Error(`Guest ${this.name} was never started.`)
    return this.#qemu
  }

  async #until<T>(
    what: string,
    withinMs: number,
    question: (agent: GuestAgentClient) => Promise<T | false>,
  ): Promise<T> {
    const { exited } = this.#running()
    const waiting = until(
      `guest ${this.name} ${what}`,
      async () => this.#agent && (await question(this.#agent)),
      withinMs,
      100,
    )
    const ended = exited.then((end) => {
      throw new Error(`Guest ${this.name} has ended: ${JSON.stringify(end)}`)
    })
    try {
      return await Promise.race([waiting, ended])
    } catch (error) {
      waiting.catch(() => {})
      throw new Error(`${String(error)}\n${lastLines(this.console())}`, { cause: error })
    }
  }
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-40).join('\n')
}
