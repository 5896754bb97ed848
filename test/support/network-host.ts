import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { repository } from './command.ts'
import { captureIn, type CaptureOptions, type HostState } from './host-state.ts'
import type { NameRecords } from './network-names.ts'
import type { Outcome, PeerRequest, Try } from './network-peer.ts'
import { acceptAddressesAtOnce, untilSettled } from './settled-addresses.ts'

const run = promisify(execFile)
const peerProgram = fileURLToPath(new URL('network-peer.ts', import.meta.url))
/** Files of other hosts on this machine, and what an agent keeps for good. */
const filesOfOthers = ['/etc/netns/', '/etc/netns']
const own = ['lock', 'journal', 'journal/']
let made = 0

/** Addresses of the far end: two wires, several machines on the first. */
export const far = {
  first: '10.77.0.2',
  second: '10.77.0.3',
  third: '10.77.0.4',
  first6: 'fd77::2',
  second6: 'fd77::3',
  otherWire: '10.78.0.2',
  otherWire6: 'fd78::2',
} as const
/** Addresses of the host itself. */
export const near = {
  wire: '10.77.0.1',
  wire6: 'fd77::1',
  otherWire: '10.78.0.1',
  otherWire6: 'fd78::1',
} as const

const ip = (...args: string[]) => run('ip', args)

async function toolIn(
  namespace: string,
  program: string,
  args: readonly string[],
): Promise<string> {
  return (await ip('netns', 'exec', namespace, program, ...args)).stdout
}

/** One end of the wires: what it serves, and what it reaches. */
export interface Peer {
  readonly pid: number
  serve(...ports: number[]): Promise<void>
  /** Replaces what its name server on port 53 knows. */
  names(records: NameRecords): Promise<void>
  /** All tries at once; each is given up after `withinMs`. */
  attempt<K extends string>(
    tries: Readonly<Record<K, Omit<Try, 'withinMs'>>>,
    withinMs: number,
  ): Promise<Record<K, Outcome>>
  /** UDP packets that came in so far, by port. */
  received(): Promise<Record<number, number>>
  open(name: string, address: string, port: number): Promise<void>
  /** Whether a word over this open connection comes back. */
  say(name: string, withinMs: number): Promise<Outcome>
}

/** The end of a process, and what it printed. */
export interface Gone {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A program of ours that runs on the host. */
export interface HostProcess {
  readonly child: ChildProcess
  readonly pid: number
  stderr(): string
  /** Resolves when it has printed this to stderr. @throws when it ends without it */
  saw(pattern: RegExp): Promise<void>
  readonly ended: Promise<Gone>
}

/** A host with two wires to the rest of the world, as two network namespaces. */
export interface NetworkHost extends AsyncDisposable {
  readonly name: string
  readonly path: string
  /** The agent's state folder, and the instance that is in it. */
  readonly stateDir: string
  readonly instanceId: string
  readonly near: Peer
  readonly far: Peer
  /** Runs a tool on the host; gives what it printed. */
  tool(program: string, ...args: string[]): Promise<string>
  farTool(program: string, ...args: string[]): Promise<string>
  /** Starts `temblor …` on the host. */
  temblor(
    args: readonly string[],
    options?: { env?: NodeJS.ProcessEnv; through?: readonly string[] },
  ): HostProcess
  /** What the host looks like; its journal and the files of other hosts aside. */
  state(options?: CaptureOptions): Promise<HostState>
}

/** Makes a host; with files, programs on it find those in its `/etc`. */
export async function networkHost(
  etc: Readonly<Record<string, string>> = {},
): Promise<NetworkHost> {
  const name = `temblor-${process.pid}-${made++}`
  const farName = `${name}-far`
  const stateDir = mkdtempSync(join(tmpdir(), 'temblor-host-'))
  const instanceId = randomUUID()
  writeFileSync(join(stateDir, 'instance-id'), instanceId)
  const etcDir = `/etc/netns/${name}`
  mkdirSync(etcDir, { recursive: true })
  for (const [file, text] of Object.entries(etc)) writeFileSync(join(etcDir, file), text)
  const children = new Set<ChildProcess>()
  const start = (namespace: string, command: readonly string[], env?: NodeJS.ProcessEnv) => {
    const child = spawn('ip', ['netns', 'exec', namespace, ...command], {
      cwd: repository,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...plainEnvironment(), ...env },
    })
    children.add(child)
    child.once('close', () => children.delete(child))
    return child
  }
  await layWires(name, farName)
  const peer = (namespace: string) => talkTo(start(namespace, [process.execPath, peerProgram]))
  const [nearPeer, farPeer] = [peer(name), peer(farName)]
  // Until it answers it may still be on its way into the namespace: whoever goes by its process would hit this machine.
  await Promise.all([nearPeer.received(), farPeer.received()])
  return {
    name,
    path: `/run/netns/${name}`,
    stateDir,
    instanceId,
    near: nearPeer,
    far: farPeer,
    tool: (program, ...args) => toolIn(name, program, args),
    farTool: (program, ...args) => toolIn(farName, program, args),
    temblor(args, { env = {}, through = [] } = {}) {
      const command = [...through, process.execPath, 'agent/cli/bin.js', ...args]
      const standard = { TEMBLOR_AGENT_DIR: stateDir, TEMBLOR_IDENTIFIER: name, NO_COLOR: '1' }
      return watch(start(name, command, { ...standard, ...env }))
    },
    state: (options = {}) =>
      captureIn(name, {
        folders: ['/etc', stateDir],
        except: [...filesOfOthers, ...own.map((file) => join(stateDir, file))],
        marker: `temblor:${instanceId}`,
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      const gone = [...children].map((child) => once(child, 'close'))
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(gone)
      for (const one of [name, farName]) await ip('netns', 'delete', one)
      rmSync(etcDir, { recursive: true, force: true })
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

/** Both ends of both wires have a prefix each; by default everything goes over the first. */
async function layWires(name: string, farName: string): Promise<void> {
  for (const one of [name, farName]) {
    await ip('netns', 'add', one)
    await ip('-n', one, 'link', 'set', 'lo', 'up')
    await acceptAddressesAtOnce(one)
  }
  const addresses = [
    [name, 'eth0', near.wire, near.wire6],
    [name, 'eth1', near.otherWire, near.otherWire6],
    [farName, 'eth0', far.first, far.second, far.third, far.first6, far.second6],
    [farName, 'eth1', far.otherWire, far.otherWire6],
  ] as const
  for (const device of ['eth0', 'eth1'])
    await ip(
      'link',
      'add',
      device,
      'netns',
      name,
      'type',
      'veth',
      'peer',
      'name',
      device,
      'netns',
      farName,
    )
  for (const [namespace, device, ...list] of addresses) {
    await ip('-n', namespace, 'link', 'set', device, 'up')
    for (const address of list) {
      const block = address.includes(':') ? [`${address}/64`, 'nodad'] : [`${address}/24`]
      await ip('-n', namespace, 'address', 'add', ...block, 'dev', device)
    }
  }
  for (const [namespace, device] of addresses) await untilSettled(namespace, device)
  await ip('-n', name, 'route', 'add', 'default', 'via', far.first)
  await ip('-n', name, '-6', 'route', 'add', 'default', 'via', far.first6)
}

function talkTo(child: ChildProcess): Peer {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let asked = 0
  child.stderr?.pipe(process.stderr, { end: false })
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, value, error } = JSON.parse(line) as { id: number; value: never; error?: string }
      const one = waiting.get(id)
      if (error === undefined) one?.resolve(value)
      else one?.reject(new Error(error))
    })
  const ask = <T>(request: PeerRequest) =>
    new Promise<T>((resolve, reject) => {
      const id = asked++
      waiting.set(id, { resolve, reject })
      child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`)
    })
  return {
    pid: child.pid as number,
    serve: (...ports) => ask({ op: 'serve', ports }),
    names: (records) => ask({ op: 'names', records }),
    async attempt(tries, withinMs) {
      const entries = Object.entries<Omit<Try, 'withinMs'>>(tries)
      const list = entries.map(([, one]) => ({ ...one, withinMs }))
      const outcomes = await ask<Outcome[]>({ op: 'try', tries: list })
      return Object.fromEntries(entries.map(([name], at) => [name, outcomes[at]])) as never
    },
    received: () => ask({ op: 'received' }),
    open: (name, address, port) => ask({ op: 'open', name, address, port }),
    say: (name, withinMs) => ask({ op: 'say', name, withinMs }),
  }
}

function watch(child: ChildProcess): HostProcess {
  let [stdout, stderr] = ['', '']
  const looking = new Set<() => void>()
  const look = () => looking.forEach((check) => check())
  child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()))
  child.stderr?.on('data', (data: Buffer) => {
    stderr += data.toString()
    look()
  })
  let isOver = false
  const ended = new Promise<Gone>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true
      resolve({ code, signal, stdout, stderr })
      look()
    })
  })
  return {
    child,
    pid: child.pid as number,
    stderr: () => stderr,
    ended,
    saw: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(stderr) && !isOver) return
          looking.delete(check)
          if (pattern.test(stderr)) resolve()
          else reject(new Error(`It ended without ${String(pattern)}:\n${stderr}${stdout}`))
        }
        looking.add(check)
        check()
      }),
  }
}

function plainEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(TEMBLOR_|VITEST|NODE_OPTIONS$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}
