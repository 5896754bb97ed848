import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProc } from '../../agent/host/processes.ts'
import { createAttack } from '../../shared/api/attacks.ts'
import { listActiveClients } from '../../shared/api/clients.ts'
import { haltAttack } from '../../shared/api/halts.ts'
import { type Cores, mainThreads, otherThreads, threadsOf, watchCores } from './cores.ts'
import { decimal, goal, spreadOf } from './figures.ts'
import type { Group, Table } from './group.ts'
import { familyOf, foreignCell, type ForeignCpu, watchForeignCpu } from './machine.ts'
import type { Rig } from './rig.ts'
import { watchJournal } from './watch-burner.ts'

/** Logins that are begun in a second, whatever becomes of those before. */
const loginsPerSecond = 90
/** Who sign in rightly; each seldom enough to be no flood by itself. */
const users = 60
/** Requests of the API and of attacks in a second: what goes on meanwhile. */
const readsPerSecond = 50
/** A p99 that differs by less than this is the same: what two runs without a flood differ by. */
const sameWithinMs = 5

interface Phase {
  readonly reads: readonly number[]
  /** From the request of an attack until the agent has journalled it. */
  readonly orders: readonly number[]
  /** How far apart the agent was heard, seconds. */
  readonly heard: readonly number[]
  readonly foreign: ForeignCpu
  readonly cores: readonly (readonly [who: string, cores: Cores])[]
}

/** The API, orders and heartbeats while logins flood in, beside the same without them. */
export const measureLogins: Group = async (context) => {
  const rig = await context.rig()
  const seconds = context.isQuick ? 6 : 20
  const [authorizations, people] = [await rig.openSessions(60), await rig.addUsers(users)]
  await watch(rig, authorizations, 2)
  context.say('  without logins')
  const before = await watch(rig, authorizations, seconds)
  context.say(`  with ${loginsPerSecond} logins a second`)
  const flood = startFlood(rig.stack.baseUrl, people)
  const during = await watch(rig, authorizations, seconds)
  const { statuses, times } = await flood.stop()
  context.signal.throwIfAborted()
  context.say('  without logins again')
  const after = await watch(rig, authorizations, seconds)
  const took = spreadOf(times)
  const logged: Table = {
    title: `Logins: ${loginsPerSecond} a second, half of them right (${seconds} s each)`,
    rows: [
      [
        '',
        'READ P50 MS',
        'P95',
        'P99',
        'MAX',
        'ORDER P50 MS',
        'MAX',
        'HEARD EVERY MAX S',
        'FOREIGN CORES',
      ],
      ['without', ...cellsOf(before)],
      ['with', ...cellsOf(during)],
      ['without again', ...cellsOf(after)],
      ['goal', '', '', judged(before, during, after), '', '', '', heardGoal(during), ''],
    ],
    notes: [
      `Answers to the logins: ${answersOf(statuses)}. 503 is what is beyond the queue.`,
      `A login that was checked took ${decimal(took.p50)} ms (p50), ${decimal(took.p99)} ms (p99).`,
      'Read: GET /users/self with a session; order: POST /attacks/new until the agent has journalled it.',
    ],
    missing: [],
  }
  return [logged, tableOfCores(before, during)]
}

/** The same requests at the same pace, whatever else goes on. */
async function watch(rig: Rig, authorizations: readonly string[], seconds: number): Promise<Phase> {
  const [foreign, cores] = [watchForeignCpu(), watchParts(rig)]
  const [reads, orders, heard] = await Promise.all([
    timeReads(rig, authorizations, seconds),
    timeOrders(rig, seconds),
    timeHeartbeats(rig, seconds),
  ])
  return { reads, orders, heard, foreign: foreign(), cores: cores() }
}

/** Watches who shares the cores. */
function watchParts({ controllerPid }: Rig): () => Phase['cores'] {
  const family = [...familyOf(process.pid)]
  const redis = family.find((pid) => readProc(`${pid}/comm`)?.startsWith('redis-server'))
  // Looked at each time: one that hashes starts with the flood.
  const children = () => [...familyOf(controllerPid)].filter((pid) => pid !== controllerPid)
  const parts = [
    ['controller, its own thread', () => mainThreads(controllerPid)],
    [
      'controller, what hashes for it',
      () => [...otherThreads(controllerPid), ...children().flatMap(threadsOf)],
    ],
    ['Redis, its own thread', () => (redis === undefined ? [] : mainThreads(redis))],
    ['the load', () => threadsOf(process.pid)],
  ] as const
  const watched = parts.map(([who, threads]) => [who, watchCores(threads)] as const)
  return () => watched.map(([who, ended]) => [who, ended()] as const)
}

function cellsOfCores(cores: Cores | undefined): string[] {
  return cores ? [decimal(cores.used, 3), decimal(cores.waited, 3)] : ['-', '-']
}

/** Who used the cores, and who waited for one. */
function tableOfCores(before: Phase, during: Phase): Table {
  const rows = during.cores.map(([who, cores]) => {
    const calm = before.cores.find(([name]) => name === who)?.[1]
    return [who, ...cellsOfCores(calm), ...cellsOfCores(cores)]
  })
  return {
    title: 'Logins: who used the cores',
    rows: [['', 'WITHOUT: CORES', 'WAITED FOR ONE', 'WITH: CORES', 'WAITED FOR ONE'], ...rows],
    notes: ['Waited: ready to run while another ran, in seconds a second.'],
    missing: [],
  }
}

/** How long reads of sessions that exist take, ms, at an even pace. */
export async function timeReads(
  { stack }: Rig,
  authorizations: readonly string[],
  seconds: number,
) {
  const agent = new Agent({ keepAlive: true })
  const url = `${stack.baseUrl}/users/self`
  const times: number[] = []
  await atPace(readsPerSecond, seconds, async (turn) => {
    const authorization = authorizations[turn % authorizations.length] ?? ''
    const sentAt = performance.now()
    await send({ url, agent, method: 'GET', headers: { authorization } })
    times.push(performance.now() - sentAt)
  })
  agent.destroy()
  return times
}

async function timeOrders({ api, stack, agentDir }: Rig, seconds: number): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const watched = watchJournal(agentDir)
    try {
      const sentAt = performance.now()
      const guid = await api.call(createAttack, {
        body: {
          command: { type: 'cpu', args: ['-l', '30', '-p', '1'] },
          target: { type: 'Exact', exact: [stack.agent.identifier] },
        },
      })
      times.push((await watched.journalled).at - sentAt)
      await api.call(haltAttack, { params: { guid } })
    } finally {
      watched.close()
    }
    await sleep(500)
  }
  return times
}

/** The times between two moments at which the agent was heard, as the API shows them, in seconds. */
async function timeHeartbeats({ api, stack }: Rig, seconds: number): Promise<number[]> {
  const heard = new Set<number>()
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const clients = await api.call(listActiveClients)
    const host = clients.find((one) => one.identifier === stack.agent.identifier)
    if (host) heard.add(Date.parse(host.last_seen))
    await sleep(200)
  }
  const moments = [...heard].toSorted((a, b) => a - b)
  return moments.slice(1).map((at, index) => (at - (moments[index] ?? at)) / 1000)
}

/** Begins logins at an even pace until it is stopped; tells how often each status was answered, and how soon. */
function startFlood(baseUrl: string, people: Awaited<ReturnType<Rig['addUsers']>>) {
  const agent = new Agent({ keepAlive: true })
  const statuses = new Map<number, number>()
  const times: number[] = []
  const ended = new AbortController()
  const url = `${baseUrl}/users/auth`
  const flood = atPace(
    loginsPerSecond,
    Number.POSITIVE_INFINITY,
    async (turn) => {
      const known = people.emails[turn % people.emails.length] ?? ''
      const email = turn % 2 === 0 ? known : `nobody-${turn}@bench.local`
      const body = JSON.stringify({ email, password: people.password })
      // Each from an address of its own: the limits for one address are no part of this.
      const headers = {
        'content-type': 'application/json',
        'x-forwarded-for': `10.${turn >> 16}.${(turn >> 8) & 255}.${turn & 255}`,
      }
      const sentAt = performance.now()
      const status = await send({ url, agent, method: 'POST', headers, body })
      if ([200, 401].includes(status)) times.push(performance.now() - sentAt)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },
    () => ended.signal.aborted,
  )
  return {
    async stop() {
      ended.abort()
      await flood
      agent.destroy()
      return { statuses, times }
    },
  }
}

/** Begins something so many times a second, however long each takes; resolves when all of it is over. */
export async function atPace(
  perSecond: number,
  seconds: number,
  begin: (turn: number) => Promise<void>,
  isEnded: () => boolean = () => false,
): Promise<void> {
  const startedAt = performance.now()
  const running: Promise<void>[] = []
  for (let turn = 0; turn < perSecond * seconds && !isEnded(); turn += 1) {
    const due = startedAt + (turn * 1000) / perSecond
    if (due > performance.now()) await sleep(due - performance.now())
    running.push(begin(turn))
  }
  await Promise.all(running)
}

interface Call {
  readonly url: string
  readonly agent: Agent
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Gives the status of the answer. */
export function send({ url, agent, method, headers, body }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, method, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
      answer.on('error', reject)
    })
    call.setTimeout(15_000, () => call.destroy(new Error(`No answer: ${url}`)))
    call.on('error', reject)
    call.end(body)
  })
}

function cellsOf({ reads, orders, heard, foreign }: Phase): string[] {
  const [read, order] = [spreadOf(reads), spreadOf(orders)]
  return [
    ...[read.p50, read.p95, read.p99, read.max, order.p50, order.max].map((value) =>
      decimal(value),
    ),
    heard.length === 0 ? '-' : decimal(Math.max(...heard)),
    foreignCell(foreign),
  ]
}

function judged(before: Phase, during: Phase, after: Phase): string {
  const calm = Math.max(spreadOf(before.reads).p99, spreadOf(after.reads).p99)
  const isSame = spreadOf(during.reads).p99 <= calm + sameWithinMs
  return goal(`within ${sameWithinMs} ms`, isSame)
}

/** Three heartbeats of five seconds are the lease: then a host is no target any more. */
function heardGoal({ heard }: Phase): string {
  return goal('< 7.5', Math.max(0, ...heard) < 7.5)
}

function answersOf(logins: ReadonlyMap<number, number>): string {
  return [...logins]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${count} times ${status}`)
    .join(', ')
}
