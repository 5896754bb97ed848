/**
 * What carries out attacks, as the agent has it but without a controller, for a network namespace:
 * "the host" is the one it runs in. Started as `network-agent.ts <state folder>`; says that it is ready,
 * then answers each request on stdin with one line on stdout, both JSON. It ends when stdin does.
 */
import { randomUUID } from 'node:crypto'
import { enableCompileCache } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ExecutionUpdate } from '../../agent/execution-update.ts'
import { clockMs } from './network-clock.ts'

export type AgentRequest =
  /** Answered when the fault is there. */
  | { readonly attack: string; readonly args: readonly string[] }
  /** Answered when the one attack is over. */
  | { readonly halt: true }
  /** Runs a tool as the agent does. */
  | { readonly tool: string; readonly args: readonly string[]; readonly input?: string }

/** Times are of the monotonic clock, in ms. */
export interface AgentAnswer {
  readonly ready?: true
  readonly instanceId?: string
  readonly failed?: string
  /** When the request was read, and when it was done. */
  readonly fromMs?: number
  readonly untilMs?: number
}

// As the agent itself starts, so that its helpers start as fast as they do there.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/temblor', import.meta.url)))
const { openCore } = await import('../../agent/core.ts')
const { runTool } = await import('../../agent/host/tool.ts')
const { noLimits } = await import('../../agent/owner-limits.ts')
const { parseArgs } = await import('../../shared/attacks/args.ts')
const { findAttackType } = await import('../../shared/attacks/index.ts')

const [stateDir = ''] = process.argv.slice(2)
const running = new Map<string, () => void>()
let executionId = ''
const core = await openCore(
  {
    join: undefined,
    stateDir,
    identifier: 'bench',
    tags: {},
    limits: noLimits,
    // Containers are no matter here.
    dockerSocket: `${stateDir}/no-docker.sock`,
    logLevel: 'silent',
  },
  { onUpdate },
)

function onUpdate({ executionId: id, stage }: ExecutionUpdate): void {
  if (stage === 'Running') running.get(id)?.()
}

async function attack(type: string, args: readonly string[]): Promise<void> {
  const definition = findAttackType(type)
  if (!definition) throw new Error(`There is no attack type ${type}.`)
  const id = randomUUID()
  executionId = id
  const isRunning = new Promise<void>((resolve) => running.set(id, resolve))
  await core.executor.run({
    executionId: id,
    generation: 1,
    attackId: randomUUID(),
    attackType: type,
    params: parseArgs(definition, args),
    local: true,
  })
  const over = core.executor.ended(id).then((report) => {
    throw new Error(`${report?.reason}: ${report?.message}`)
  })
  // Its end is awaited for by itself later.
  over.catch(() => undefined)
  await Promise.race([isRunning, over])
}

async function halt(): Promise<void> {
  core.executor.halt(executionId, 1, '')
  const report = await core.executor.ended(executionId)
  if (report?.reason !== 'halted') throw new Error(`${report?.reason}: ${report?.message}`)
}

async function carryOut(request: AgentRequest): Promise<void> {
  const fromMs = clockMs()
  try {
    if ('attack' in request) await attack(request.attack, request.args)
    else if ('halt' in request) await halt()
    else await runTool(request.tool, request.args, request.input)
    answer({ fromMs, untilMs: clockMs() })
  } catch (error) {
    answer({ failed: (error as Error).message })
  }
}

function answer(line: AgentAnswer): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

process.stdin.once('end', () => void core.close('The bench is over.').then(() => process.exit()))
createInterface({ input: process.stdin }).on('line', (line) => {
  void carryOut(JSON.parse(line) as AgentRequest)
})
answer({ ready: true, instanceId: core.instanceId })
