import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { lightFlags } from '../../agent/host/light-flags.ts'
import { cpuSeconds } from '../../agent/host/processes.ts'
import { type ManagedChild, readyMessage, startChild } from '../../deploy/local/child-process.ts'
import { formatJoinLine } from '../../shared/join-line.ts'
import { idleSource, startNodeSource } from './bare.ts'
import { decimal, goal, ratio, spreadOf } from './figures.ts'
import type { BenchContext, Group } from './group.ts'
import { foreignCell, type ForeignCpu, memoryOf, watchForeignCpu } from './machine.ts'
import type { Rig } from './rig.ts'

const bin = fileURLToPath(new URL('../../agent/cli/bin.js', import.meta.url))
const goals = { rssMb: 70, anonymousMb: 25, cpuPercent: 0.1, startMs: 200 }
/** Start-up is over, its garbage collected as far as it will be: V8 does that some 9 s later. */
const settleMs = 12_000
const readyMs = 30_000

/** A process at rest. */
interface Footprint {
  readonly rss: number
  readonly anonymous: number
  readonly pss: number
  readonly cpuPercent: number
}

/** What an agent at rest takes, beside a bare Node process at rest at the same time. */
export const measureAgent: Group = async (context) => {
  const rig = await context.rig()
  const seconds = context.isQuick ? 6 : 30
  const starts = context.isQuick ? 3 : 10
  context.say(`  ${starts} starts`)
  const startForeign = watchForeignCpu()
  const enrol: number[] = []
  const again: number[] = []
  const bare: number[] = []
  for (let i = 0; i < starts; i += 1) {
    context.signal.throwIfAborted()
    const name = `bench-start-${i}`
    enrol.push(await timeStart(() => startAgent(rig, name)))
    again.push(await timeStart(() => startAgent(rig, name)))
    bare.push(await timeStart(() => startNodeSource('bare', idleSource, rig.dir)))
  }
  const startsBy = startForeign()
  context.say(`  ${seconds} s at rest`)
  const idle = await measureIdle(rig, seconds, context)
  return {
    title: `Agent: at rest for ${seconds} s, and ${starts} starts until it is registered`,
    rows: [
      ['FIGURE', 'AGENT', 'GOAL', 'BARE NODE', 'RATIO', 'FOREIGN CORES'],
      ...idleRows(idle),
      startRow('start, first time (joins), p50 ms', enrol, bare, startsBy),
      startRow('start, joined already, p50 ms', again, bare, startsBy),
    ],
    notes: [
      'Bare node: node -e with an empty interval; its start is until it has sent a message to its parent.',
      'Shared pages of the Node binary are in RSS of both; PSS divides them among all Node processes of the machine.',
    ],
    missing: [],
  }
}

interface AtRest {
  /** Without an Engine: where there are no containers to attack. */
  readonly agent: Footprint
  /** Absent where there is no Engine. */
  readonly withEngine: Footprint | undefined
  readonly bare: Footprint
  readonly foreign: ForeignCpu
}

function idleRows({ agent, withEngine, bare, foreign }: AtRest): string[][] {
  const row = (name: string, key: keyof Footprint, limit?: number, digits = 1) => [
    name,
    decimal(agent[key], digits),
    limit === undefined ? '-' : goal(`≤ ${limit}`, agent[key] <= limit),
    decimal(bare[key], digits),
    bare[key] > 0.005 ? ratio(agent[key], bare[key]) : '-',
    foreignCell(foreign),
  ]
  return [
    row('resident (RSS), MB', 'rss', goals.rssMb),
    row('anonymous, MB', 'anonymous', goals.anonymousMb),
    row('proportional (PSS), MB', 'pss'),
    row('CPU, % of a core', 'cpuPercent', goals.cpuPercent, 3),
    ...(withEngine ? engineRows(withEngine, bare, foreign) : []),
  ]
}

/** What an Engine adds: its client, and following its events. */
function engineRows(own: Footprint, bare: Footprint, foreign: ForeignCpu): string[][] {
  const row = (name: string, key: 'rss' | 'anonymous') => [
    `with a Docker Engine: ${name}`,
    decimal(own[key]),
    '-',
    decimal(bare[key]),
    ratio(own[key], bare[key]),
    foreignCell(foreign),
  ]
  return [row('resident, MB', 'rss'), row('anonymous, MB', 'anonymous')]
}

function startRow(
  name: string,
  values: readonly number[],
  bare: readonly number[],
  foreign: ForeignCpu,
): string[] {
  const [own, floor] = [spreadOf(values).p50, spreadOf(bare).p50]
  return [
    name,
    decimal(own),
    goal(`≤ ${goals.startMs}`, own <= goals.startMs),
    decimal(floor),
    ratio(own, floor),
    foreignCell(foreign),
  ]
}

async function timeStart(start: () => ManagedChild): Promise<number> {
  const from = performance.now()
  const child = start()
  try {
    await readyMessage(child, readyMs)
    return performance.now() - from
  } finally {
    await child.stop(5000)
  }
}

async function measureIdle(rig: Rig, seconds: number, { signal }: BenchContext): Promise<AtRest> {
  const hasEngine = typeof rig.target !== 'string'
  const children = [
    startAgent(rig, 'bench-idle'),
    startNodeSource('bare', idleSource, rig.dir),
    ...(hasEngine ? [startAgent(rig, 'bench-idle-engine', { TEMBLOR_DOCKER_SOCKET: '' })] : []),
  ]
  try {
    await Promise.all(children.map((child) => readyMessage(child, readyMs)))
    await sleep(settleMs, undefined, { signal })
    const foreign = watchForeignCpu()
    const started = children.map(startFootprint)
    await sleep(seconds * 1000, undefined, { signal })
    const [agent, bare, withEngine] = started.map((read) => read()) as [
      Footprint,
      Footprint,
      Footprint?,
    ]
    return { agent, bare, withEngine, foreign: foreign() }
  } finally {
    await Promise.all(children.map((child) => child.stop(5000)))
  }
}

/** Starts to count the CPU of a child; its footprint is read by calling the result. */
function startFootprint({ process }: ManagedChild): () => Footprint {
  const pid = process.pid as number
  const [from, at] = [cpuSeconds(pid) ?? Number.NaN, performance.now()]
  return () => {
    const lasted = (performance.now() - at) / 1000
    const used = (cpuSeconds(pid) ?? Number.NaN) - from
    return { ...memoryOf(pid), cpuPercent: (100 * used) / lasted }
  }
}

/**
 * A further agent of the rig, without an Engine unless told otherwise; its folder stays, so that it
 * has joined when it starts again.
 */
function startAgent(
  { stack, dir }: Rig,
  identifier: string,
  env: NodeJS.ProcessEnv = { TEMBLOR_DOCKER_SOCKET: path.join(dir, 'no-engine.sock') },
): ManagedChild {
  const stateDir = path.join(dir, identifier)
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const { team, caSha256 } = stack.first
  return startChild({
    name: identifier,
    program: process.execPath,
    args: [...lightFlags, bin, 'agent', 'run'],
    ipc: true,
    env: {
      TEMBLOR_JOIN: formatJoinLine({
        address: stack.grpcAddress,
        teamId: team.id,
        secret: team.secret,
        caSha256,
      }),
      TEMBLOR_AGENT_DIR: stateDir,
      TEMBLOR_IDENTIFIER: identifier,
      ...env,
    },
    logFile: path.join(dir, `${identifier}.log`),
  })
}
