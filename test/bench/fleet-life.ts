import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds } from '../../agent/host/processes.ts'
import { createAttack, listActiveAttacks } from '../../shared/api/attacks.ts'
import type { ApiClient } from '../../shared/api/client.ts'
import { haltAllAttacks } from '../../shared/api/halts.ts'
import type { FleetAnswers } from '../fleet/fleet-main.ts'
import { machineNowMs } from '../fleet/machine-clock.ts'
import type { SelfAnswers } from '../fleet/self-watch.ts'
import { spreadOf, type Spread } from './figures.ts'
import type { AgentsServer, Asked, BareController, FleetRig, Mode } from './fleet-rig.ts'
import { watchForeignCpu, memoryOf, type ForeignCpu } from './machine.ts'
import { steadily } from './steadily.ts'

/** What is measured of a server with a fleet. */
export interface FleetLife {
  readonly agents: number
  /** Resident, without agents and with all of them. */
  readonly idleMegabytes: number
  readonly megabytes: number
  readonly connectSeconds: number
  /** While there is nothing but heartbeats. */
  readonly heartbeatCores: number
  readonly foreign: ForeignCpu
  /** From the write of an order to the acknowledgement of its agent, decoded. */
  readonly pushMs: Spread
  /** Of the request; absent for a server without an API. */
  readonly haltAnsweredSeconds: number | undefined
  /** From the request until the last agent has it, and until its acknowledgement is decoded. */
  readonly haltHeardSeconds: number
  readonly haltAckedSeconds: number
  /** From the moment at which the new process listens. */
  readonly back: Spread
  readonly loopDelayP99Ms: number
  readonly loopDelayMaxMs: number
}

/** How it is measured. */
export interface FleetPlan {
  readonly mode: Mode
  readonly agents: number
  readonly heartbeatSeconds: number
  readonly pushes: number
  readonly say: (line: string) => void
}

/** At the start no more connect in a second than a controller lets in. */
const perSecond = { plain: 1_000, tls: 150 } satisfies Record<Mode, number>
const pushesPerSecond = 100
/** Each may make 600 requests a minute. */
const sessionCount = 50
/** Longer than any of this takes; the bench is cut off rather than left hanging. */
const withinMs = 150_000

type Fleet = Asked<FleetAnswers>

/** A server of agents that is measured. */
interface Server {
  start(grpcPort?: number): Promise<AgentsServer>
  /** Sends an order to one agent; resolves when it is on its way. */
  push(identifier: string): Promise<unknown>
  /** Sends every agent an order that it acknowledges at once. */
  haltAll(): Promise<number | undefined>
  /** Resolves when it has written down that everything is over. */
  untilSettled(): Promise<void>
  /** What must be there before everything can be halted. */
  attackAll(fleet: Fleet): Promise<void>
}

/** The whole life of a controller with a fleet: filled, at rest, one hit, all hit and halted, killed. */
export async function liveThrough(rig: FleetRig, plan: FleetPlan): Promise<FleetLife> {
  let apis: readonly ApiClient[] = []
  let turn = 0
  const api = () => apis[turn++ % apis.length] as ApiClient
  return await live(rig, plan, 'fleet', {
    async start(grpcPort) {
      const controller = await rig.startController(plan.mode, grpcPort)
      if (apis.length === 0) apis = await rig.signIn(controller.baseUrl, sessionCount)
      return controller
    },
    push: (identifier) =>
      api().call(createAttack, {
        body: { command, target: { type: 'Exact', exact: [identifier] } },
      }),
    async attackAll(fleet) {
      await fleet.ask('untilIdle', withinMs)
      await fleet.ask('begin')
      const target = { type: 'Random', percent: 100 } as const
      await api().call(createAttack, { body: { command: longCommand, target } })
      await fleet.ask('untilOrdered', { kind: 'run', count: plan.agents, withinMs })
      await sleep(3_000)
    },
    async haltAll() {
      const askedAt = machineNowMs()
      await api().call(haltAllAttacks)
      return (machineNowMs() - askedAt) / 1000
    },
    async untilSettled() {
      const deadline = performance.now() + withinMs
      while ((await api().call(listActiveAttacks)).length > 0) {
        if (performance.now() > deadline) throw new Error('Attacks are not over.')
        await sleep(250)
      }
    },
  })
}

/** The same with a server that only moves bytes. */
export async function liveThroughBare(rig: FleetRig, plan: FleetPlan): Promise<FleetLife> {
  let server: BareController | undefined
  return await live(rig, plan, 'bare', {
    start: async (grpcPort) => (server = await rig.startBare(plan.mode, grpcPort)),
    push: async () => server?.ask('pushOne'),
    attackAll: () => Promise.resolve(),
    async haltAll() {
      await server?.ask('pushAll')
      return undefined
    },
    untilSettled: () => Promise.resolve(),
  })
}

const command = { type: 'cpu', args: ['-l', '5', '-p', '5'] }
const longCommand = { type: 'cpu', args: ['-l', '120', '-p', '5'] }

async function live(
  rig: FleetRig,
  plan: FleetPlan,
  name: string,
  server: Server,
): Promise<FleetLife> {
  const { mode, agents, say } = plan
  const controller = await server.start()
  const fleet = await rig.startFleetProcess()
  try {
    await sleep(2_000)
    const idleMegabytes = memoryOf(controller.pid).rss
    const keyFile = mode === 'tls' ? rig.keyFile : undefined
    const names = { teamId: rig.teamId, name, agents }
    const port = controller.grpcPort
    say(`  ${name}: ${agents} agents connect`)
    await fleet.ask('start', {
      ...names,
      port,
      keyFile,
      perSecond: perSecond[mode],
      figuresMs: 1000,
    })
    const connectedAt = machineNowMs()
    const welcomed = await fleet.ask('untilWelcomed', { count: agents, withinMs })
    const connectSeconds = (Math.max(...welcomed) - connectedAt) / 1000
    const rest = await watchRest(controller, plan)
    const pushMs = await pushSome(controller, server, plan, name)
    const halted = await haltAll(controller, fleet, server, plan)
    const back = await comeBack(controller, fleet, server, plan)
    return { agents, idleMegabytes, connectSeconds, ...rest, pushMs, ...halted, ...back }
  } finally {
    await fleet.kill()
    await controller.kill()
  }
}

/** With nothing but heartbeats. */
async function watchRest({ pid }: Asked<SelfAnswers>, { heartbeatSeconds, say }: FleetPlan) {
  say('  heartbeats')
  // What the compiler and the collector have to do with the connections is over then.
  await sleep(5_000)
  const foreign = watchForeignCpu()
  const before = cpuSeconds(pid) ?? 0
  await sleep(heartbeatSeconds * 1000)
  const heartbeatCores = ((cpuSeconds(pid) ?? 0) - before) / heartbeatSeconds
  return { heartbeatCores, foreign: foreign(), megabytes: memoryOf(pid).rss }
}

async function pushSome(
  { ask }: Asked<SelfAnswers>,
  server: Server,
  { pushes, agents, say }: FleetPlan,
  name: string,
): Promise<Spread> {
  say('  one by one')
  const digits = String(agents - 1).length
  const push = () => {
    const index = Math.floor(Math.random() * agents)
    return server.push(`${name}-${String(index).padStart(digits, '0')}`)
  }
  await steadily(push, { perSecond: pushesPerSecond, count: Math.ceil(pushes / 4) })
  await ask('begin')
  await steadily(push, { perSecond: pushesPerSecond, count: pushes })
  await sleep(1_000)
  return spreadOf((await ask('seen')).roundTripsMs)
}

async function haltAll(
  { ask }: Asked<SelfAnswers>,
  fleet: Fleet,
  server: Server,
  { agents, say }: FleetPlan,
) {
  say('  all at once')
  await server.attackAll(fleet)
  await Promise.all([fleet.ask('begin'), ask('begin')])
  const askedAt = machineNowMs()
  const haltAnsweredSeconds = await server.haltAll()
  const heard = await fleet.ask('untilOrdered', { kind: 'halt', count: agents, withinMs })
  const deadline = performance.now() + withinMs
  let seen = await ask('seen')
  while (seen.roundTripsMs.length < agents && performance.now() < deadline) {
    await sleep(250)
    seen = await ask('seen')
  }
  return {
    haltAnsweredSeconds,
    haltHeardSeconds: (Math.max(...heard) - askedAt) / 1000,
    haltAckedSeconds: (seen.lastAckAtMs - askedAt) / 1000,
  }
}

/** The process is killed, and another takes its place at once. */
async function comeBack(
  killed: AgentsServer,
  fleet: Fleet,
  server: Server,
  { agents, say }: FleetPlan,
) {
  await fleet.ask('untilIdle', withinMs)
  await server.untilSettled()
  say('  killed')
  await killed.kill()
  await fleet.ask('begin')
  const next = await server.start(killed.grpcPort)
  try {
    const readyAt = machineNowMs()
    await next.ask('begin')
    const welcomed = await fleet.ask('untilWelcomed', { count: agents, withinMs })
    const { loopDelayP99Ms, loopDelayMaxMs } = await next.ask('seen')
    const back = spreadOf(welcomed.map((at) => Math.max(0, at - readyAt) / 1000))
    return { back, loopDelayP99Ms, loopDelayMaxMs }
  } finally {
    await next.kill()
  }
}
