import { decimal, goal, ratio } from './figures.ts'
import { type FleetLife, liveThrough, liveThroughBare } from './fleet-life.ts'
import { startFleetRig, type Mode } from './fleet-rig.ts'
import type { BenchContext, Group, Table } from './group.ts'
import { type Held, watchHeld } from './held.ts'
import { foreignCell } from './machine.ts'

/** For which the goals are. */
const goalAgents = 10_000
/** Handshakes take too long for a floor with as many agents: its figures are given for each agent. */
const bareTlsAgents = 2_000

interface Goals {
  readonly megabytes: number
  readonly backSeconds: number
}
const goals: Record<Mode, Goals> = {
  plain: { megabytes: 320, backSeconds: 8 },
  tls: { megabytes: 950, backSeconds: 90 },
}

/** A whole fleet on one controller without TLS, which only a bench can have. */
export const measureFleet: Group = (context) => measure(context, 'plain')

/** A whole fleet on one controller as it is: mutual TLS. */
export const measureFleetTls: Group = (context) => measure(context, 'tls')

async function measure(context: BenchContext, mode: Mode): Promise<Table> {
  const { agents, isQuick } = context
  const rig = await startFleetRig()
  const plan = {
    mode,
    agents,
    heartbeatSeconds: isQuick ? 5 : 15,
    pushes: isQuick ? 200 : 1_000,
    say: (line: string) => context.say(line),
  }
  try {
    const bareAgents = mode === 'tls' ? Math.min(agents, bareTlsAgents) : agents
    const bare = await liveThroughBare(rig, { ...plan, agents: bareAgents })
    context.signal.throwIfAborted()
    const held = await watchHeld(rig.redisUrl)
    const own = await liveThrough(rig, plan)
    return tableOf(mode, own, bare, await held())
  } finally {
    await rig.close()
  }
}

function tableOf(mode: Mode, own: FleetLife, bare: FleetLife, held: Held): Table {
  const judged = (text: string, isMet: boolean) =>
    own.agents === goalAgents ? goal(text, isMet) : '-'
  const { megabytes, backSeconds } = goals[mode]
  const foreign = foreignCell(own.foreign, bare.foreign)
  const row = (
    name: string,
    of: (life: FleetLife) => number | undefined,
    digits: number,
    aim?: readonly [string, (value: number) => boolean],
  ) => {
    const [value = 0, floor] = [of(own), of(bare)]
    const cells = floor === undefined ? ['-', '-'] : [decimal(floor, digits), ratio(value, floor)]
    return [
      name,
      decimal(value, digits),
      ...cells,
      aim ? judged(aim[0], aim[1](value)) : '-',
      foreign,
    ]
  }
  return {
    title: `Fleet: ${own.agents} agents on one controller, ${mode === 'tls' ? 'mutual TLS' : 'plain'}`,
    rows: [
      ['FIGURE', 'TEMBLOR', 'BARE GRPC', 'RATIO', 'GOAL', 'FOREIGN CORES'],
      row('memory without agents, MB', (life) => life.idleMegabytes, 0),
      row('memory with all, MB', (life) => life.megabytes, 0, [
        `${megabytes} MB`,
        (value) => value <= megabytes,
      ]),
      row('memory for each agent, KB', perAgentKilobytes, 1),
      row('all connected after, s', (life) => life.connectSeconds, 1),
      row('CPU of heartbeats, cores', (life) => life.heartbeatCores, 3, [
        '0.09',
        (value) => value <= 0.09,
      ]),
      row('CPU of one heartbeat, µs', perHeartbeatMicroseconds, 0),
      row('order to one → acknowledged, p50 ms', (life) => life.pushMs.p50, 2),
      row('order to one → acknowledged, p99 ms', (life) => life.pushMs.p99, 2, [
        '3 ms',
        (value) => value <= 3,
      ]),
      row('halt all → answered, s', (life) => life.haltAnsweredSeconds, 2),
      row('halt all → every agent has it, s', (life) => life.haltHeardSeconds, 2),
      row('halt all → all acknowledged, s', (life) => life.haltAckedSeconds, 2, [
        '0.5 s',
        (value) => value <= 0.5,
      ]),
      row('killed: half are back after, s', (life) => life.back.p50, 1),
      row('killed: all are back after, s', (life) => life.back.max, 1, [
        `${backSeconds} s`,
        (value) => value <= backSeconds,
      ]),
      row('loop delay meanwhile, p99 ms', (life) => life.loopDelayP99Ms, 0, [
        '50 ms',
        (value) => value <= 50,
      ]),
      row('loop delay meanwhile, max ms', (life) => life.loopDelayMaxMs, 0),
      ...heldRows(held, judged('0', held.long === 0), foreign),
    ],
    notes: notesOf(mode, own, bare),
    missing: [],
  }
}

function heldRows({ scripts, long, longest }: Held, aim: string, foreign: string): string[][] {
  return [
    ['scripts that held Redis > 5 ms', `${long} of ${scripts}`, '-', '-', aim, foreign],
    [`the longest, ms: ${longest.name ?? 'none'}`, decimal(longest.ms, 1), '-', '-', '-', foreign],
  ]
}

function notesOf(mode: Mode, own: FleetLife, bare: FleetLife): string[] {
  const notes = [
    'Controller, Redis, all agents (one process) and the bench share the cores. Memory is resident (RSS).',
    'Bare: a grpc-js server that welcomes the same agents and keeps nothing; its halt is written to all streams at once.',
    'Heartbeats every 5 s, figures of what runs every second. Back: from the moment the next process listens.',
  ]
  if (bare.agents !== own.agents) notes.push(`Bare: with ${bare.agents} agents.`)
  if (own.agents !== goalAgents)
    notes.push(
      `Goals are for ${goalAgents} agents: npm run bench -- fleet${mode === 'tls' ? '-tls' : ''}`,
    )
  return notes
}

function perAgentKilobytes({ megabytes, idleMegabytes, agents }: FleetLife): number {
  return ((megabytes - idleMegabytes) * 1000) / agents
}

function perHeartbeatMicroseconds({ heartbeatCores, agents }: FleetLife): number {
  return (heartbeatCores * 1e6) / (agents / 5)
}
