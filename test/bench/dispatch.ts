import { createAttack } from '../../shared/api/attacks.ts'
import { type FloorServer, startFloorServer } from './bare.ts'
import type { FleetAnswers } from '../fleet/fleet-main.ts'
import { machineNowMs } from '../fleet/machine-clock.ts'
import { decimal, goal, ratio, spreadOf, type Spread } from './figures.ts'
import { type Asked, type FleetController, type FleetRig, startFleetRig } from './fleet-rig.ts'
import type { Group } from './group.ts'
import { generateLoad, type LoadRequest, type LoadResult } from './load-generator.ts'
import { foreignCell, watchForeignCpu } from './machine.ts'
import { steadily } from './steadily.ts'

const agents = 1_000
const name = 'fleet'
const perSecond = 100
const connections = 32
/** Each may make 600 requests a minute. */
const sessionCount = 300
const withinMs = 60_000

type Fleet = Asked<FleetAnswers>

/** From a POST to the agent that has it: at a steady rate, as fast as it goes, by another controller. */
export const measureDispatch: Group = async (context) => {
  const { isQuick, signal } = context
  const say = (line: string) => context.say(`  ${line}`)
  const rig = await startFleetRig()
  const floor = await startFloorServer(rig.redisUrl, rig.dir)
  const foreign = watchForeignCpu()
  try {
    const controller = await rig.startController('tls')
    const fleet = await rig.startFleetProcess()
    say(`${agents} agents connect`)
    await connect(rig, fleet, controller)
    const count = perSecond * (isQuick ? 3 : 10)
    // What the compiler has not seen yet must not be part of the figures; it goes on for some twenty seconds.
    const warm = perSecond * (isQuick ? 2 : 20)
    await Promise.all([postSteadily(rig, fleet, [controller], warm), keep(floor, warm)])
    say('at a steady rate')
    const kept = await keep(floor, count)
    const [alone] = await postSteadily(rig, fleet, [controller], count)
    signal.throwIfAborted()
    say('two controllers, in turn')
    const second = await rig.startController('tls')
    await postSteadily(rig, fleet, [controller, second], count)
    const [local, far] = await postSteadily(rig, fleet, [controller, second], count * 2)
    await second.stop()
    signal.throwIfAborted()
    say('as fast as it goes')
    const seconds = isQuick ? 2 : 5
    const created = await flood(await attackRequest(rig, controller), seconds)
    const stored = await flood(keepRequest(floor), seconds)
    const answers = { alone, kept, local, far, created, stored }
    return tableOf(answers as Answers, foreignCell(foreign()))
  } finally {
    await floor.stop()
    await rig.close()
  }
}

interface Delays {
  readonly answered: Spread
  readonly heard: Spread
}
interface Answers {
  readonly alone: Delays
  readonly kept: Spread
  readonly local: Delays
  readonly far: Delays
  readonly created: LoadResult
  readonly stored: LoadResult
}

async function connect(rig: FleetRig, fleet: Fleet, controller: FleetController): Promise<void> {
  await fleet.ask('start', {
    teamId: rig.teamId,
    name,
    agents,
    port: controller.grpcPort,
    keyFile: rig.keyFile,
    perSecond: 150,
    figuresMs: 0,
  })
  await fleet.ask('untilWelcomed', { count: agents, withinMs })
}

/** An attack on one agent each, at these controllers in turn. Resolves to the delays by controller. */
async function postSteadily(
  rig: FleetRig,
  fleet: Fleet,
  controllers: readonly FleetController[],
  count: number,
): Promise<Delays[]> {
  const apis = await Promise.all(
    controllers.map(({ baseUrl }) => rig.signIn(baseUrl, sessionCount / controllers.length)),
  )
  await fleet.ask('begin')
  const posted: { id: string; at: number; sentAtMs: number; answeredAtMs: number }[] = []
  await steadily(
    async (index) => {
      const at = index % controllers.length
      const mine = apis[at] ?? []
      const sentAtMs = machineNowMs()
      const id = await mine[index % mine.length]?.call(createAttack, { body: attackOn(anyHost()) })
      posted.push({ id: id ?? '', at, sentAtMs, answeredAtMs: machineNowMs() })
    },
    { perSecond, count },
  )
  await fleet.ask('untilOrdered', { kind: 'run', count, withinMs })
  const heardAtMs = new Map(await fleet.ask('attacks'))
  return controllers.map((_, at) => {
    const mine = posted.filter((one) => one.at === at)
    return {
      answered: spreadOf(mine.map((one) => one.answeredAtMs - one.sentAtMs)),
      heard: spreadOf(mine.map((one) => (heardAtMs.get(one.id) ?? Infinity) - one.sentAtMs)),
    }
  })
}

/** The floor: bare fastify that answers after one fsynced SET, at the same rate. */
async function keep({ baseUrl }: FloorServer, count: number): Promise<Spread> {
  const tookMs: number[] = []
  const body = JSON.stringify(attackOn('host'))
  const headers = { 'content-type': 'application/json' }
  await steadily(
    async () => {
      const sentAtMs = machineNowMs()
      await (await fetch(`${baseUrl}/keep`, { method: 'POST', headers, body })).text()
      tookMs.push(machineNowMs() - sentAtMs)
    },
    { perSecond, count },
  )
  return spreadOf(tookMs)
}

async function flood(load: LoadRequest, seconds: number): Promise<LoadResult> {
  await generateLoad(load, { connections, seconds: seconds / 2 })
  return await generateLoad(load, { connections, seconds })
}

async function attackRequest(rig: FleetRig, { baseUrl }: FleetController): Promise<LoadRequest> {
  return {
    method: 'POST',
    url: `${baseUrl}/attacks/new`,
    body: { ...attackOn(''), target: { type: 'Random' } },
    authorizations: await rig.openSessions(baseUrl, sessionCount),
    expectedStatus: 201,
  }
}

function keepRequest({ baseUrl }: FloorServer): LoadRequest {
  return {
    method: 'POST',
    url: `${baseUrl}/keep`,
    body: attackOn('host'),
    authorizations: [],
    expectedStatus: 201,
  }
}

function attackOn(host: string) {
  return {
    command: { type: 'cpu', args: ['-l', '5', '-p', '5'] },
    target: { type: 'Exact', exact: [host] },
  }
}

function anyHost(): string {
  const digits = String(agents - 1).length
  return `${name}-${String(Math.floor(Math.random() * agents)).padStart(digits, '0')}`
}

function tableOf({ alone, kept, local, far, created, stored }: Answers, foreign: string) {
  const row = (what: string, value: number, floor: number | undefined, aim: string, digits = 1) => [
    what,
    decimal(value, digits),
    ...(floor === undefined ? ['-', '-'] : [decimal(floor, digits), ratio(value, floor)]),
    aim,
    foreign,
  ]
  const extra = far.heard.p50 - local.heard.p50
  const missing = [...created.unexpected].map(([status, count]) => `${count} attacks: ${status}`)
  return {
    title: `Dispatch: ${agents} agents, mutual TLS, an attack on one agent each`,
    rows: [
      ['FIGURE', 'TEMBLOR', 'POST + SET', 'RATIO', 'GOAL', 'FOREIGN CORES'],
      row('POST → answered (201), p50 ms', alone.answered.p50, kept.p50, '-'),
      row('POST → answered (201), p99 ms', alone.answered.p99, kept.p99, '-'),
      row(
        'POST → agent has it, p50 ms',
        alone.heard.p50,
        kept.p50,
        goal('4', alone.heard.p50 <= 4),
      ),
      row(
        'POST → agent has it, p99 ms',
        alone.heard.p99,
        kept.p99,
        goal('10', alone.heard.p99 <= 10),
      ),
      row('the same, by the controller that has it, p50 ms', local.heard.p50, undefined, '-'),
      row('by another controller, p50 ms', far.heard.p50, local.heard.p50, '-'),
      row('by another controller, p99 ms', far.heard.p99, local.heard.p99, '-'),
      row('more for the other controller, p50 ms', extra, undefined, goal('0.5', extra <= 0.5), 2),
      row(
        'durable attacks a second',
        created.perSecond,
        stored.perSecond,
        goal('2500', created.perSecond >= 2_500),
        0,
      ),
    ],
    notes: [
      `At ${perSecond} a second, whatever the answers take; as fast as it goes with ${connections} connections. All processes share the cores.`,
      'Floor: bare fastify that answers after one fsynced SET. Of the other controller: the one that has the agents, in the same run, in turn.',
      'Every attack is journalled, acknowledged and reported by its agent meanwhile (four messages); no figures are sent here.',
    ],
    missing,
  }
}
