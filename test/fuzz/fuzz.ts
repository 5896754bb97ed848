import { readFileSync } from 'node:fs'
import { openRedis, type Redis } from '../../controller/store/redis.ts'
import type { Api } from '../support/api.ts'
import { problem } from '../support/problem.ts'
import type { Service } from '../support/service.ts'
import { randomOf } from './random.ts'
import { generate, readOperations, type Generated, type Known, type Operation } from './requests.ts'
import { exchangeOnce, type Outcome } from './wire.ts'

/** They take a session, or all attacks, away from the requests that follow. */
const endsTheRun = new Set<string | undefined>([
  'logout',
  'endSession',
  'endOtherSessions',
  'blockAttacks',
])

export interface FuzzOptions {
  readonly seed: number
  /** The first request of the run; to repeat one of them alone. */
  readonly from: number
  readonly count: number
  readonly connections: number
  readonly say?: (line: string) => void
}

const attackId = /^[0-9a-f-]{36}$/

/** A request that was not answered as it must be. */
export interface Failure {
  readonly index: number
  readonly fault: string
  readonly request: Generated
}

export interface FuzzReport {
  readonly failures: readonly Failure[]
  /** What is true of the service after the run and should not be. */
  readonly damage: readonly string[]
  readonly byStatus: Readonly<Record<string, number>>
  readonly seconds: number
  readonly megabytes: { readonly before: number; readonly after: number }
}

/**
 * For the agent of the service: it refuses every attack. This is about the controller, and among what
 * is generated are attacks that cut off and power off the host.
 */
export const harmless = { TEMBLOR_ALLOW_ATTACKS: 'none', TEMBLOR_FORBID_SHUTDOWN: 'yes' }

const answerWithinMs = 10_000
/** It levels out below this, however many requests there are. */
const mostGrowthMegabytes = 400

/** Sends generated requests to a service and judges every answer, and the service afterwards. */
export async function fuzz(service: Service, options: FuzzOptions): Promise<FuzzReport> {
  const redis = openRedis(service.local.redisUrl)
  try {
    return await run(service, redis, options)
  } finally {
    redis.disconnect()
  }
}

async function run(service: Service, redis: Redis, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, from, count, connections, say = () => {} } = options
  const [operations, known] = await prepare(service)
  const { pid } = service.part('controller')
  const before = { megabytes: residentMegabytes(pid), state: await stateOf(service.owner, redis) }
  const created = new Set<string>()
  const failures: Failure[] = []
  const byStatus: Record<string, number> = {}
  const since = performance.now()
  const port = Number(new URL(service.baseUrl).port)
  let next = from
  const worker = async () => {
    for (let index = next++; index < from + count; index = next++) {
      // A token may ask 600 times a minute; this is about everything else.
      if (index % 250 === 0) await forgetLimits(redis)
      if (index % 2_000 === 0 && index > from) say(`${index - from} requests`)
      const request = generate(randomOf(seed, index), operations, known)
      const outcome = await exchangeOnce(port, request.bytes, answerWithinMs)
      const label = outcome.kind === 'answer' ? String(outcome.answer.status) : outcome.kind
      byStatus[label] = (byStatus[label] ?? 0) + 1
      const fault = faultOf(request, outcome, created)
      if (fault !== undefined) failures.push({ index, fault, request })
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  await forgetLimits(redis)
  const after = residentMegabytes(pid)
  const damage = damageOf(before.state, await stateOf(service.owner, redis), created)
  if (after - before.megabytes > mostGrowthMegabytes)
    damage.push(`The controller grew from ${before.megabytes} to ${after} MB.`)
  if (service.part('controller').pid !== pid) damage.push('The controller was started anew.')
  return {
    failures,
    damage,
    byStatus,
    seconds: (performance.now() - since) / 1000,
    megabytes: { before: before.megabytes, after },
  }
}

async function prepare(service: Service): Promise<[Operation[], Known]> {
  const { owner, local } = service
  const attackIds = [
    await owner.attack({ command: { type: 'cpu', args: ['-l', '1'] }, target: { type: 'Random' } }),
    '00000000-0000-4000-8000-000000000000',
  ]
  await owner.finished(attackIds[0] ?? '')
  const sessions = await Promise.all(Array.from({ length: 4 }, () => service.signIn()))
  const [client] = await owner.activeClients()
  const known: Known = {
    host: new URL(service.baseUrl).host,
    authorizations: sessions.map((one) => one.session.header),
    attackIds,
    teamId: local.team.id,
    client: client?.identifier ?? '',
  }
  const operations = readOperations(await owner.get('/openapi.json')).filter(
    (one) => !endsTheRun.has(one.operationId),
  )
  return [operations, known]
}

/** What is wrong with the answer, if anything. */
function faultOf(request: Generated, outcome: Outcome, created: Set<string>): string | undefined {
  if (outcome.kind === 'silent') return `no answer within ${answerWithinMs} ms`
  if (outcome.kind === 'closed') return request.mayBeCut ? undefined : 'closed without an answer'
  if (outcome.kind === 'stream') return undefined
  const { answer } = outcome
  if (answer.status >= 500) return `${answer.status} ${answer.text.slice(0, 300)}`
  if (Math.floor(answer.status / 100) === 3) return `a redirect: ${answer.status}`
  // Keys are made as well, and are longer.
  if (answer.status === 201 && attackId.test(answer.text)) created.add(answer.text)
  if (answer.status < 400 || request.method === 'HEAD') return undefined
  try {
    problem(answer)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

interface State {
  readonly attacks: readonly string[]
  readonly users: number
  readonly hosts: string
}

async function stateOf(owner: Api, redis: Redis): Promise<State> {
  const attacks = await redis.keys('temblor:{t:*}:attack:*')
  const clients = await owner.get<Record<string, { identifier: string }[]>>('/clients')
  return {
    attacks: attacks
      .filter((key) => /:attack:[0-9a-f-]{36}$/.test(key))
      .map((key) => key.slice(-36)),
    users: await redis.hlen('temblor:user-ids'),
    hosts: JSON.stringify(
      Object.entries(clients).map(([state, list]) => [state, list.map((one) => one.identifier)]),
    ),
  }
}

/** What a refused request must not have done: there is what was answered with 201, and nothing else. */
function damageOf(before: State, after: State, created: ReadonlySet<string>): string[] {
  const old = new Set(before.attacks)
  const added = new Set(after.attacks.filter((id) => !old.has(id)))
  const damage: string[] = []
  const unasked = [...added].filter((id) => !created.has(id))
  if (unasked.length > 0) damage.push(`Attacks without a 201: ${unasked.join(', ')}`)
  const lost = [...created].filter((id) => !after.attacks.includes(id))
  if (lost.length > 0) damage.push(`Attacks that were answered and are not there: ${lost.join()}`)
  if (before.users !== after.users) damage.push(`Users: ${before.users}, then ${after.users}`)
  if (before.hosts !== after.hosts) damage.push(`Hosts: ${before.hosts}, then ${after.hosts}`)
  return damage
}

async function forgetLimits(redis: Redis): Promise<void> {
  const names = await redis.keys('temblor:rate:*')
  names.push(...(await redis.keys('temblor:attempts:*')))
  if (names.length > 0) await redis.del(...names)
}

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}
