import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { namespacePair, type NamespacePair } from '../faults/namespace-pair.ts'
import type { AgentAnswer, AgentRequest } from './network-agent.ts'
import type { ProbedPacket } from './network-probe.ts'

const run = promisify(execFile)

export type Side = 'near' | 'far'

/** From when until when something took place, in ms of the monotonic clock. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** An agent's core in the near namespace, in a process of its own. */
export interface LabAgent {
  readonly pid: number
  readonly instanceId: string
  /** Asks and waits until it is done. @throws Error with what the agent says */
  ask(request: AgentRequest): Promise<Span>
  /** Asks and does not wait. */
  tell(request: AgentRequest): void
  kill(): Promise<void>
}

/** A process that sees each packet on its way. */
export interface Probe {
  /** The packets since it was last asked. */
  packets(): Promise<ProbedPacket[]>
}

/** Two network namespaces joined by a cable, and an agent to which the near one is the host. */
export interface Lab extends AsyncDisposable {
  readonly pair: NamespacePair
  /** Starts an agent; a later one has the state of the earlier one, which must be gone. */
  startAgent(): Promise<LabAgent>
  startProbe(everyMs: number): Promise<Probe>
  /** Runs a program in a namespace. @returns stdout @throws Error when it fails */
  exec(side: Side, program: string, ...args: readonly string[]): Promise<string>
}

/** Makes a lab; nothing of this machine's own network is touched. */
export async function openLab(): Promise<Lab> {
  const pair = await namespacePair()
  const stateDir = mkdtempSync(join(tmpdir(), 'temblor-bench-network-'))
  const talkers = new Set<Talker>()
  const start = (program: string, ...args: readonly string[]) => {
    const talker = startTalker(pair.names.near, program, args)
    talkers.add(talker)
    return talker
  }
  return {
    pair,
    async startAgent() {
      const talker = start('network-agent.ts', stateDir)
      const ready = JSON.parse(await talker.next()) as AgentAnswer
      return agentOf(talker, ready.instanceId ?? '')
    },
    async startProbe(everyMs) {
      const talker = start('network-probe.ts', pair.chosen, String(everyMs))
      await talker.next()
      return {
        async packets() {
          talker.child.stdin?.write('\n')
          return JSON.parse(await talker.next()) as ProbedPacket[]
        },
      }
    },
    async exec(side, program, ...args) {
      const command = ['netns', 'exec', pair.names[side], program, ...args]
      return (await run('ip', command, { maxBuffer: 2 ** 26 })).stdout
    },
    async [Symbol.asyncDispose]() {
      for (const talker of talkers) await talker.end()
      await pair[Symbol.asyncDispose]()
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

function agentOf(talker: Talker, instanceId: string): LabAgent {
  const tell = (request: AgentRequest) =>
    void talker.child.stdin?.write(`${JSON.stringify(request)}\n`)
  return {
    pid: talker.child.pid as number,
    instanceId,
    tell,
    async ask(request) {
      tell(request)
      const { failed, fromMs, untilMs } = JSON.parse(await talker.next()) as AgentAnswer
      if (fromMs === undefined || untilMs === undefined) throw new Error(failed)
      return { fromMs, untilMs }
    },
    async kill() {
      talker.child.kill('SIGKILL')
      await talker.gone
    },
  }
}

/** A program of the bench in a namespace, which is spoken with in lines. */
interface Talker {
  readonly child: ChildProcess
  readonly gone: Promise<unknown>
  /** The next line it says. @throws Error when it ends without one */
  next(): Promise<string>
  end(): Promise<void>
}

const endWithinMs = 15_000

function startTalker(namespace: string, program: string, args: readonly string[]): Talker {
  const file = fileURLToPath(new URL(program, import.meta.url))
  // `ip` becomes the program, so that the process number is the program's own.
  const command = ['netns', 'exec', namespace, process.execPath, file, ...args]
  const child = spawn('ip', command, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => undefined)
  const gone = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    gone,
    async next() {
      const { value, done } = await lines.next()
      if (done) throw new Error(`${program} ended without a word.`)
      return value as string
    },
    async end() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs)
      await gone
      clearTimeout(timer)
    },
  }
}
