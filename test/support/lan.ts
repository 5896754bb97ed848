import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { formatJoinLine, parseJoinLine } from '../../shared/join-line.ts'
import { repository, startNode, type Environment, type Running } from './command.ts'
import { temporaryDir } from './service.ts'

const run = promisify(execFile)
const relay = join(repository, 'test/support/lan-relay.ts')
/** A port on which the far side of the network answers. */
export const echoPort = 7001
let made = 0

/** A host of a network that the test made: a network namespace with an agent in it. */
export interface LanHost {
  readonly name: string
  readonly agent: Running
  /** How long it takes to connect to the far side, in ms; undefined when nobody answers in time. */
  connectMs(withinMs?: number): Promise<number | undefined>
  /** Runs a tool in the host's namespace. */
  tool(...command: string[]): Promise<string>
}

/**
 * Hosts on one switch, with a far side that answers and carries the agents' connections to a
 * controller on this machine's loopback.
 */
export interface Lan extends AsyncDisposable {
  /** The address of the far side, which is also the controller's for these hosts. */
  readonly far: string
  addHost(name: string, environment?: Environment): Promise<LanHost>
}

/** Makes a network whose hosts reach the controller of this join line. */
export async function makeLan(joinLine: string): Promise<Lan> {
  const tag = `tl${process.pid.toString(36)}${made++}`
  const wan = `${tag}-wan`
  const dir = temporaryDir()
  const far = '10.203.0.1'
  const namespaces: string[] = [wan]
  const ended: (() => Promise<unknown>)[] = []
  await run('ip', ['netns', 'add', wan])
  await inside(wan, 'ip', 'link', 'add', 'switch', 'type', 'bridge')
  await inside(wan, 'ip', 'address', 'add', `${far}/24`, 'dev', 'switch')
  for (const device of ['lo', 'switch']) await inside(wan, 'ip', 'link', 'set', device, 'up')
  const start = async (namespace: string | undefined, ...args: string[]) => {
    const program = await startRelay(namespace, args)
    ended.push(() => program.end())
    return program
  }
  const { address, ...line } = parseJoinLine(joinLine)
  const socket = join(dir, 'controller.sock')
  await start(undefined, 'out', address.split(':').at(-1) ?? '', socket)
  const { port } = await start(wan, 'in', far, socket)
  await start(wan, 'echo', far, String(echoPort))
  const joined = formatJoinLine({ ...line, address: `${far}:${port}` })
  return {
    far,
    async addHost(name, environment = {}) {
      const namespace = `${tag}-${name}`
      await connectHost(wan, namespace, namespaces.length)
      namespaces.push(namespace)
      const clock = await start(namespace, 'time', far, String(echoPort))
      const stateDir = temporaryDir()
      const agent = startNode(
        ['agent/main.ts'],
        {
          TEMBLOR_JOIN: joined,
          TEMBLOR_AGENT_DIR: stateDir,
          TEMBLOR_IDENTIFIER: name,
          // The containers of this machine are not this host's.
          TEMBLOR_DOCKER_SOCKET: join(stateDir, 'none.sock'),
          ...environment,
        },
        ['ip', 'netns', 'exec', namespace],
      )
      ended.push(async () => {
        await agent.stop('SIGTERM')
        rmSync(stateDir, { recursive: true, force: true })
      })
      return {
        name,
        agent,
        async connectMs(withinMs = 1500) {
          const { ms } = await clock.ask<{ ms: number | null }>(withinMs)
          return ms ?? undefined
        },
        tool: async (...command) => (await inside(namespace, ...command)).stdout,
      }
    },
    async [Symbol.asyncDispose]() {
      for (const end of ended.toReversed()) await end()
      for (const namespace of namespaces) await run('ip', ['netns', 'delete', namespace])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function connectHost(wan: string, namespace: string, number: number): Promise<void> {
  await run('ip', ['netns', 'add', namespace])
  const peer = ['type', 'veth', 'peer', 'name', `port${number}`, 'netns', wan]
  await run('ip', ['link', 'add', 'eth0', 'netns', namespace, ...peer])
  await inside(wan, 'ip', 'link', 'set', `port${number}`, 'master', 'switch', 'up')
  await inside(namespace, 'ip', 'address', 'add', `10.203.0.${number + 1}/24`, 'dev', 'eth0')
  for (const device of ['lo', 'eth0']) await inside(namespace, 'ip', 'link', 'set', device, 'up')
}

function inside(namespace: string, ...command: string[]) {
  return run('ip', ['netns', 'exec', namespace, ...command])
}

async function startRelay(namespace: string | undefined, args: readonly string[]) {
  const enter = namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace]
  const [program = '', ...rest] = [...enter, process.execPath, relay, ...args]
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  /** The next line that it says. */
  const said = async <T>() => JSON.parse(((await once(lines, 'line')) as [string])[0]) as T
  const { port } = await said<{ port: number }>()
  return {
    port,
    /** Its answer to a line; one at a time. */
    async ask<T>(line: string | number) {
      const answer = said<T>()
      child.stdin.write(`${line}\n`)
      return await answer
    },
    async end() {
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    },
  }
}
