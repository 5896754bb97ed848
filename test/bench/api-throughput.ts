import { cpuSeconds } from '../../agent/host/processes.ts'
import type { CreateAttackBody } from '../../shared/api/attacks.ts'
import { startFloorServer } from './bare.ts'
import { decimal, goal, ratio, spreadOf, type Spread } from './figures.ts'
import type { Group } from './group.ts'
import { generateLoad, type LoadRequest } from './load-generator.ts'
import { foreignCell, type ForeignCpu, watchForeignCpu } from './machine.ts'

const connections = 20
/** Each may make 600 requests a minute: enough for the fastest of these servers. */
const sessionCount = 250

interface Served {
  readonly perSecond: number
  readonly latency: Spread
  /** CPU of the server for one request, in microseconds. */
  readonly cpuMicroseconds: number
  readonly foreign: ForeignCpu
  readonly problem: string | undefined
}

/** What the controller serves in a second, beside bare fastify asked in the same way. */
export const measureApi: Group = async (context) => {
  const rig = await context.rig()
  const seconds = context.isQuick ? 1 : 3
  const authorizations = await rig.openSessions(sessionCount)
  const floor = await startFloorServer(rig.stack.redisUrl, rig.dir)
  const rows = [
    [
      'REQUEST',
      'PER SECOND',
      'P50 MS',
      'P95 MS',
      'CPU µs',
      'BARE PER SECOND',
      'CPU µs',
      'RATE',
      'CPU',
      'GOAL',
      'FOREIGN CORES',
    ],
  ]
  const missing: string[] = []
  try {
    for (const [name, ours, bare] of requestsOf(rig.stack.baseUrl, floor.baseUrl, authorizations)) {
      context.signal.throwIfAborted()
      context.say(`  ${name}`)
      const served = await serve(ours, rig.controllerPid, seconds)
      const floored = await serve(bare, floor.pid, seconds)
      const foreign = foreignCell(served.foreign, floored.foreign)
      const judged = goalOf(name, served, floored)
      rows.push([name, ...cellsOf(served, floored), judged, foreign])
      for (const { problem } of [served, floored]) if (problem) missing.push(`${name}: ${problem}`)
    }
    context.say('  floor: POST + SET')
    const kept = await serve(keepOf(floor.baseUrl), floor.pid, seconds)
    rows.push([
      'floor: POST + fsynced SET',
      ...ownCells(kept),
      ...Array.from({ length: 5 }, () => '-'),
      foreignCell(kept.foreign),
    ])
    if (kept.problem) missing.push(`floor: ${kept.problem}`)
  } finally {
    await floor.stop()
  }
  return {
    title: `Controller: requests a second (${connections} connections, ${seconds} s each)`,
    rows,
    notes: [
      'The load generator, Redis and the server share the cores: the ratios say more than the rates.',
      `Each request is authenticated and counted by the limiter, over ${sessionCount} sessions; bare fastify does neither.`,
    ],
    missing,
  }
}

function attack(percent: number): CreateAttackBody {
  return {
    command: { type: 'cpu', args: ['-l', '5', '-p', String(percent)] },
    target: { type: 'Random' },
  }
}

function requestsOf(
  baseUrl: string,
  bareUrl: string,
  authorizations: readonly string[],
): (readonly [string, LoadRequest, LoadRequest])[] {
  const get = { method: 'GET', expectedStatus: 200 } as const
  const preview = { method: 'POST', body: attack(10), expectedStatus: 200 } as const
  const refused = { method: 'POST', body: attack(200), expectedStatus: 400 } as const
  const bare = { authorizations: [] }
  return [
    [
      'GET /users/self',
      { ...get, url: `${baseUrl}/users/self`, authorizations },
      { ...get, url: `${bareUrl}/read`, ...bare },
    ],
    [
      'POST /attacks/preview',
      { ...preview, url: `${baseUrl}/attacks/preview`, authorizations },
      { ...preview, url: `${bareUrl}/post`, ...bare },
    ],
    [
      'POST /attacks/new, refused',
      { ...refused, url: `${baseUrl}/attacks/new`, authorizations },
      { ...refused, url: `${bareUrl}/refuse`, ...bare },
    ],
  ]
}

/** Each write is on disk before it is answered, as those of the controller are. */
function keepOf(bareUrl: string): LoadRequest {
  return {
    method: 'POST',
    url: `${bareUrl}/keep`,
    body: attack(10),
    authorizations: [],
    expectedStatus: 201,
  }
}

async function serve(load: LoadRequest, serverPid: number, seconds: number): Promise<Served> {
  // What the compiler has not seen yet must not be part of the figure.
  await generateLoad(load, { connections, seconds: seconds / 2 })
  const foreign = watchForeignCpu()
  const before = cpuSeconds(serverPid)
  const result = await generateLoad(load, { connections, seconds })
  const after = cpuSeconds(serverPid)
  if (before === undefined || after === undefined) throw new Error('The server ended meanwhile.')
  const others = [...result.unexpected].map(([status, count]) => `${count} times status ${status}`)
  return {
    perSecond: result.perSecond,
    latency: spreadOf(result.latenciesMs),
    cpuMicroseconds: (1e6 * (after - before)) / result.answers,
    foreign: foreign(),
    problem: others.length === 0 ? undefined : others.join(', '),
  }
}

function cellsOf(ours: Served, bare: Served): string[] {
  return [
    ...ownCells(ours),
    decimal(bare.perSecond, 0),
    decimal(bare.cpuMicroseconds, 0),
    ratio(ours.perSecond, bare.perSecond),
    ratio(ours.cpuMicroseconds, bare.cpuMicroseconds),
  ]
}

/** Who is checked like an attack, and its body too, is served nearly as fast as whoever is not. */
function goalOf(name: string, ours: Served, bare: Served): string {
  return name.startsWith('POST') ? goal('0.8x', ours.perSecond >= 0.8 * bare.perSecond) : '-'
}

function ownCells({ perSecond, latency, cpuMicroseconds }: Served): string[] {
  return [
    decimal(perSecond, 0),
    decimal(latency.p50),
    decimal(latency.p95),
    decimal(cpuMicroseconds, 0),
  ]
}
