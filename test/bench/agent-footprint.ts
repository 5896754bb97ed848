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
/** Start-up is over, its garbage collected as far as it will be. */
const settleMs = 2000
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

function idleRows(idle: { agent: Footprint; bare: Footprint; foreign: ForeignCpu }): string[][] {
  const { agent, bare, foreign } = idle
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
  ]
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

async function measureIdle(
  rig: Rig,
  seconds: number,
  { signal }: BenchContext,
): Promise<{ agent: Footprint; bare: Footprint; foreign: ForeignCpu }> {
  const agent = startAgent(rig, 'bench-idle')
  const bare = startNodeSource('bare', idleSource, rig.dir)
  try {
    await Promise.all([readyMessage(agent, readyMs), readyMessage(bare, readyMs)])
    await sleep(settleMs, undefined, { signal })
    const foreign = watchForeignCpu()
    const both = [agent, bare].map(({ process }) => {
      const pid = process.pid as number
      const [from, at] = [cpuSeconds(pid) ?? Number.NaN, performance.now()]
      return (): Footprint => {
        const lasted = (performance.now() - at) / 1000
        const used = (cpuSeconds(pid) ?? Number.NaN) - from
        return { ...memoryOf(pid), cpuPercent: (100 * used) / lasted }
      }
    })
    await sleep(seconds * 1000, undefined, { signal })
    const [ofAgent, ofBare] = both.map((read) => read()) as [Footprint, Footprint]
    return { agent: ofAgent, bare: ofBare, foreign: foreign() }
  } finally {
    await Promise.all([agent.stop(5000), bare.stop(5000)])
  }
}

/** A further agent of the rig; its folder stays, so that it has joined when it starts again. */
function startAgent({ stack, dir }: Rig, identifier: string): ManagedChild {
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
    },
    logFile: path.join(dir, `${identifier}.log`),
  })
}
