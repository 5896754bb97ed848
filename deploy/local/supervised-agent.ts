import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { exitCodes } from '../../agent/cli/exit-codes.ts'
import { lightFlags } from '../../agent/host/light-flags.ts'
import { type ManagedChild, readyMessage, startChild } from './child-process.ts'
import type { DataDir } from './data-dir.ts'

const bin = fileURLToPath(new URL('../../agent/cli/bin.js', import.meta.url))
/** A refused agent asks again after this. */
const refusedDelayMs = 5_000
const restartDelayMs = 1000
const restartWindowMs = 60_000
const restartsInWindow = 5
const readyTimeoutMs = 60_000

interface AgentReady {
  readonly identifier: string
  readonly warnings: readonly string[]
}

export interface SupervisedAgent extends AgentReady {
  /** Resolves with the reason when it died too often to be started again. */
  readonly gaveUp: Promise<string>
  stop(timeoutMs: number): Promise<void>
}

interface AgentOptions {
  readonly dataDir: DataDir
  readonly joinLine: string
  readonly say: (line: string) => void
}

/**
 * Starts the agent of this host and starts it again when it dies: a fault tool must come back to
 * replay its journal.
 */
export async function startAgent(options: AgentOptions): Promise<SupervisedAgent> {
  // What it warns of while it starts comes again with its first message; it is not said twice.
  const early: string[] = []
  let sayProblem = (problem: string): void => {
    early.push(problem)
  }
  const spawn = () => spawnAgent(options, (problem) => sayProblem(problem))
  let current = spawn()
  let isStopping = false
  const ready = await readyMessage<AgentReady>(current, readyTimeoutMs).catch((error: unknown) => {
    current.kill()
    throw error
  })
  sayProblem = (problem) => options.say(`agent: ${problem}`)
  for (const problem of early) if (!ready.warnings.includes(problem)) sayProblem(problem)
  const gaveUp = (async () => {
    const deaths: number[] = []
    let isRefused = false
    for (;;) {
      const { code, signal } = await current.ended
      if (isStopping) return new Promise<never>(() => {})
      if (code === exitCodes.agentRefused) {
        // Somebody revoked this host, or its name is taken: that may change, and the rest goes on.
        if (!isRefused)
          options.say('The controller refuses the agent of this host; it tries again.')
        isRefused = true
        await sleep(refusedDelayMs, undefined, { ref: false })
        if (!isStopping) current = spawn()
        continue
      }
      isRefused = false
      const now = performance.now()
      deaths.push(now)
      const recent = deaths.filter((at) => now - at < restartWindowMs).length
      const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
      if (recent > restartsInWindow) return `the agent ${how} again and again`
      options.say(`The agent ${how}. Starting it again; it reverts what its journal holds.`)
      await sleep(restartDelayMs)
      if (!isStopping) current = spawn()
    }
  })()
  return {
    ...ready,
    gaveUp,
    async stop(timeoutMs) {
      isStopping = true
      await current.stop(timeoutMs)
    },
  }
}

function spawnAgent(
  { dataDir, joinLine }: AgentOptions,
  onProblem: (problem: string) => void,
): ManagedChild {
  return startChild({
    name: 'agent',
    program: process.execPath,
    args: [...lightFlags, bin, 'agent', 'run'],
    ipc: true,
    env: {
      TEMBLOR_JOIN: joinLine,
      TEMBLOR_AGENT_DIR: path.join(dataDir.path, 'agent'),
    },
    logFile: path.join(dataDir.logsPath, 'agent.log'),
    onProblem,
  })
}
