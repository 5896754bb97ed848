import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ring } from '../../controller/store/bells.ts'
import type { Team } from '../../controller/store/companies.ts'
import { keys } from '../../controller/store/keys.ts'
import { redisNowMs } from '../../controller/store/redis.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { startTestController, newEmail } from '../support/in-process.ts'
import type { FurtherController, TestController } from '../support/in-process.ts'
import { joinStreamAgent, type StreamAgent, type StreamSession } from '../support/stream-agent.ts'
import { until } from '../support/until.ts'

/** Far longer than any test here takes: whatever arrives did not wait for a heartbeat. */
const heartbeatMs = '60000'

let a: TestController
let b: FurtherController
let team: Team
let api: Api
let agent: StreamAgent
const sessions: StreamSession[] = []

beforeAll(async () => {
  a = await startTestController({ TEMBLOR_HEARTBEAT_MS: heartbeatMs })
  b = await a.further()
  const company = await a.store.companies.addCompany('Acme')
  team = await a.store.companies.addTeam(company, 'Payments')
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  api = await a.join(company, { email: newEmail('manager'), teams })
  agent = await joinStreamAgent('h1', await a.joinLine(team))
})
afterAll(async () => {
  for (const session of sessions) await session[Symbol.asyncDispose]()
  await b?.[Symbol.asyncDispose]()
  await a?.[Symbol.asyncDispose]()
})

/** A session of the host at one of the controllers; its orders are taken down at once. */
async function sessionAt(port: number): Promise<StreamSession> {
  const session = agent.open(port)
  sessions.push(session)
  await session.hear(({ welcome }) => welcome)
  return session
}

/** Asks A for an attack; how long after that the agent had the order, in ms. */
async function attackAt(session: StreamSession): Promise<{ id: string; tookMs: number }> {
  const since = performance.now()
  const id = await api.attack(cpuAttack('-l 60 -p 1'))
  const { message, atMs } = await session.hear(({ run }) => run?.attackId === id)
  const { executionId = '', generation } = message.run ?? {}
  session.send({ commandAck: { executionId, generation: generation ?? 1 } })
  return { id, tookMs: atMs - since }
}

/** Asks A for an attack, and for its halt once the order is taken; after how many ms the agent had each. */
async function attackAndHalt(session: StreamSession): Promise<[orderMs: number, haltMs: number]> {
  const { id, tookMs } = await attackAt(session)
  await until('the order is taken', async () =>
    (await api.executions(id)).every(({ stage }) => stage === 'Distributed'),
  )
  const since = performance.now()
  await api.halt(id)
  const halted = await session.hear(({ halt }) => halt?.attackId === id)
  return [tookMs, halted.atMs - since]
}

/** Other work on the machine adds to a time and takes nothing away: of some the shortest tells. */
async function thrice<T>(once: () => Promise<T>): Promise<[T, T, T]> {
  return [await once(), await once(), await once()]
}

describe.each([
  ['the one that was asked', () => a.grpcPort],
  ['another one', () => b.grpcPort],
])('an agent that is connected to %s', (_, port) => {
  test('has attacks and halts well within a heartbeat', async () => {
    const session = await sessionAt(port())
    const times = await thrice(() => attackAndHalt(session))
    expect(Math.min(...times.map(([orderMs]) => orderMs))).toBeLessThan(1_000)
    expect(Math.min(...times.map(([, haltMs]) => haltMs))).toBeLessThan(1_000)
  })
})

test('an agent that has moved leaves no session behind, and is reached where it is', async () => {
  const old = await sessionAt(a.grpcPort)
  const session = await sessionAt(b.grpcPort)
  const { message } = await old.hear(({ refusal }) => refusal)
  expect(message.refusal).toMatchObject({ code: 'replaced', final: false })
  await old.ended
  const times = await thrice(() => attackAt(session))
  expect(Math.min(...times.map(({ tookMs }) => tookMs))).toBeLessThan(1_000)
})

test('an order comes with the bell as it was written; one that was on its way for long is read anew', async () => {
  const session = await sessionAt(b.grpcPort)
  const [owner = ''] = await a.store.hosts.controllersOf(team.id, ['h1'])
  const ring = async (executionId: string, agoMs: number) => {
    const nowMs = (await redisNowMs(a.redis, keys.hosts(team.id))) - agoMs
    const of = { executionId, generation: 1, attackId: randomUUID(), host: 'h1', nowMs }
    const what = { type: 'cpu', paramsJson: '{}', containerId: '', containerName: '' }
    const order = { ...of, ...what, startByMs: nowMs + 60_000, controllerId: owner }
    const told: Ring = { kind: 'deliver', teamId: team.id, identifiers: ['h1'], orders: [order] }
    await a.redis.spublish(keys.bell(owner), JSON.stringify(told))
  }
  const heard = (id: string) => session.heard.some(({ message }) => message.run?.executionId === id)
  /** One of now, each time another: it grows old on its way where the machine is busy. */
  const isGiven = async () => {
    const fresh = randomUUID()
    await ring(fresh, 0)
    return await until('given', () => heard(fresh), 200).catch(() => undefined)
  }
  await until('the other one knows the clock of the team', isGiven)
  const late = randomUUID()
  await ring(late, 2_000)
  await until('what was said later is given', isGiven)
  expect(heard(late)).toBe(false)
})

test('a host that is revoked at one controller is cut off at the other', async () => {
  const session = await sessionAt(b.grpcPort)
  expect((await api.send('DELETE', '/clients/h1')).status).toBe(200)
  const { message } = await session.hear(({ refusal }) => refusal)
  expect(message.refusal).toMatchObject({ code: 'revoked', final: true })
  await session.ended
})
