import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { forgetHosts } from '../../controller/jobs/retention.ts'
import type { Company, Team } from '../../controller/store/companies.ts'
import { keys } from '../../controller/store/keys.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { namesIn } from '../support/redis.ts'
import { joinStreamAgent, type StreamSession } from '../support/stream-agent.ts'
import { leaseMs, targetingRig, type Sent } from '../support/targeting-rig.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000
const never = new AbortController().signal

let controller: TestController
let company: Company
let team: Team
let api: Api
let rig: ReturnType<typeof targetingRig>

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
})
afterAll(() => controller?.[Symbol.asyncDispose]())
beforeEach(async () => {
  team = await controller.store.companies.addTeam(company, newEmail('team'))
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  api = await controller.join(company, { email: newEmail('manager'), teams })
  rig = targetingRig(controller.redis, team.id)
})

const forget = (days = 30) => forgetHosts(controller.store, days * dayMs, never)
const hosts = async () => (await controller.redis.smembers(keys.hosts(team.id))).toSorted()

/** Whom a preview says to be out. */
const out = async (target: Sent) => (await rig.preview(target)).out.map(({ host }) => host)

/** Nothing was heard of these hosts for so many days. */
async function silence(days: number, ...identifiers: string[]): Promise<void> {
  const { redis } = controller
  for (const identifier of identifiers) {
    const seen = Date.now() - days * dayMs
    await redis.hset(keys.host(team.id, identifier), { last_seen_ms: seen })
    await redis.zadd(keys.liveHosts(team.id), seen, identifier)
  }
}

/** All that is kept of the hosts of the team. */
async function kept(): Promise<Record<string, unknown>> {
  const { redis } = controller
  const found: Record<string, unknown> = {}
  for (const name of await namesIn(redis, `${keys.teamPrefix(team.id)}*`)) {
    if (/\}:(attack|execution|events|active|due)/.test(name)) continue
    const type = await redis.type(name)
    if (type === 'hash') found[name] = await redis.hgetall(name)
    if (type === 'set') found[name] = (await redis.smembers(name)).toSorted()
    if (type === 'zset') found[name] = await redis.zrange(name, '0', '-1', 'WITHSCORES')
    if (type === 'string') found[name] = await redis.get(name)
  }
  return found
}

/** Runs an attack on the host to its end. */
async function attackOn(identifier: string, session: StreamSession): Promise<string> {
  const id = await api.attack(cpuAttack('-l 60 -p 1', { type: 'Exact', exact: [identifier] }))
  const { message } = await session.hear(({ run }) => run?.attackId === id)
  const execution = { executionId: message.run?.executionId ?? '', generation: 1 }
  session.send({ commandAck: execution })
  session.send({ executionUpdate: { ...execution, seq: 1, stage: 'Running', ageMs: 0 } })
  session.send({ executionUpdate: { ...execution, seq: 2, stage: 'Successful', ageMs: 0 } })
  await api.finished(id)
  return id
}

test('a host that was silent for long goes whole, its attacks stay, and it may come back', async () => {
  await rig.claim('stays', { role: 'web', zone: 'b' })
  const before = await kept()
  const agent = await joinStreamAgent('gone', await controller.joinLine(team))
  const hello = { inventory: { tags: { role: 'web', zone: 'a' } } }
  const first = agent.open(undefined, hello)
  const { message } = await first.hear(({ welcome }) => welcome)
  const id = await attackOn('gone', first)
  await first[Symbol.asyncDispose]()
  await silence(31, 'gone')
  expect(await forget()).toBe(1)
  const epoch = `${keys.hostIndex(team.id)}:epoch`
  expect(await kept()).toEqual({ ...before, [epoch]: '1' })
  expect(await api.executions(id)).toMatchObject([{ client_id: 'gone', stage: 'Successful' }])
  expect(await api.attacks()).toMatchObject([{ guid: id }])
  expect(problem(await api.send('PUT', '/clients/gone/activate'))).toEqual({
    status: 404,
    code: 'client_not_found',
  })
  await using again = agent.open(undefined, hello)
  expect((await again.hear(({ welcome }) => welcome)).message.welcome?.sessionEpoch).toBe(2)
  await attackOn('gone', again)
  const found = await rig.create({ multiSelectTags: { zone: ['a'], role: ['web'] } })
  expect(found).toMatchObject({ kind: 'created', hosts: ['gone'] })
  // What a session of before says late is not heard.
  const late = { identifier: 'gone', epoch: message.welcome?.sessionEpoch ?? 0, leaseMs }
  expect(await controller.store.hosts.refresh(team.id, [late])).toEqual([{ kind: 'replaced' }])
})

test('hosts that were heard lately, or for which something is under way, stay', async () => {
  const { redis, store } = controller
  const names = ['busy', 'goes', 'lately', 'leased', 'waits']
  for (const name of names) await rig.claim(name, { name })
  await rig.created({ tags: { name: 'busy' } })
  const [execution] = await rig.created({ tags: { name: 'waits' } })
  await redis.zadd(keys.due(team.id), 1, String(execution?.id))
  const open = keys.openExecutions(team.id, 'waits')
  // Silence counts for nothing while a controller that is busy has not looked.
  await until('it is given up', async () => (await redis.exists(open)) === 0, 40_000)
  expect(await redis.exists(keys.outbox(team.id, 'waits'))).toBe(1)
  await silence(31, 'busy', 'goes', 'leased', 'waits')
  await silence(29, 'lately')
  await redis.zadd(keys.liveHosts(team.id), Date.now() + 60_000, 'leased')
  expect(await forget()).toBe(1)
  expect(await hosts()).toEqual(names.filter((name) => name !== 'goes'))
  // With its attack the order goes that waited.
  await redis.del(keys.outbox(team.id, 'waits'))
  for (const one of await store.executions.openOn(team.id, 'busy'))
    await store.executions.end(team.id, one, { reason: 'host_revoked', message: 'over' })
  expect(await forget()).toBe(2)
  expect(await hosts()).toEqual(['lately', 'leased'])
})

test('a host is listed for a day, and longer where it is named', async () => {
  for (const name of ['live', 'today', 'before']) await rig.claim(name)
  await silence(23 / 24, 'today')
  await silence(25 / 24, 'before')
  const { active, idle } = await api.get<Record<string, { identifier: string }[]>>('/clients')
  expect(active).toMatchObject([{ identifier: 'live' }])
  expect(idle).toMatchObject([{ identifier: 'today' }])
  expect(await api.get('/clients/today')).toMatchObject({ identifier: 'today', state: 'IDLE' })
  expect((await api.send('GET', '/clients/before')).status).toBe(404)
  expect(await out({})).toEqual(['today'])
  const exact = ['live', 'today', 'before']
  expect((await out({ type: 'Exact', exact })).toSorted()).toEqual(['before', 'today'])
  expect((await api.send('DELETE', '/clients/before')).status).toBe(200)
})

test('who comes back before it is its turn stays', async () => {
  const { redis, store } = controller
  const names = ['back', 'goes', 'left', 'listed']
  for (const name of names) await rig.claim(name)
  await silence(31, ...names)
  const beat = (identifier: string) =>
    store.hosts.refresh(team.id, [{ identifier, epoch: 1, leaseMs }])
  const listed: string[] = []
  for await (const some of store.retention.silentHosts(team.id, dayMs)) listed.push(...some)
  expect(listed.toSorted()).toEqual(names)
  for (const name of ['left', 'listed']) expect(await beat(name)).toMatchObject([{ kind: 'ok' }])
  await store.hosts.release(team.id, 'left', 1)
  expect(await store.retention.forgetHosts(team.id, ['left', 'listed'], dayMs)).toBe(0)
  // After a time in which nobody listened all are silent, until they had time to come back.
  await redis.hset(keys.silence, 'counts_ms', Date.now() + 60_000)
  const forgotten = forget()
  expect(await beat('back')).toMatchObject([{ kind: 'ok' }])
  await redis.hset(keys.silence, 'counts_ms', 0)
  expect(await forgotten).toBe(1)
  expect(await hosts()).toEqual(['back', 'left', 'listed'])
})

test('a revoked host stays out, also when nothing else is kept of it', async () => {
  const { redis, store } = controller
  await rig.claim('bad', { role: 'web' })
  await store.hosts.revoke(team.id, 'bad')
  await silence(31, 'bad')
  expect(await forget()).toBe(1)
  expect(await hosts()).toEqual([])
  const record = { identifier: 'bad', instance_id: 'bad', state: 'REVOKED', epoch: '2' }
  expect(await redis.hgetall(keys.host(team.id, 'bad'))).toEqual(record)
  expect(await rig.claim('bad')).toEqual({ kind: 'revoked' })
  expect(await rig.claim('bad', {}, [], 'another')).toEqual({ kind: 'revoked' })
  expect(await rig.claim('other name', {}, [], 'bad')).toEqual({ kind: 'revoked' })
  expect(await rig.claim('other name', {}, [], 'another')).toMatchObject({ kind: 'ok' })
  expect(await store.hosts.activate(team.id, 'bad')).toBe(true)
  expect(await rig.claim('bad')).toMatchObject({ kind: 'ok', epoch: 3 })
  // Who is allowed again and does not come back is forgotten as others are.
  await store.hosts.revoke(team.id, 'bad')
  await silence(31, 'bad')
  await forget()
  await store.hosts.activate(team.id, 'bad')
  expect((await api.get<{ idle: unknown[] }>('/clients')).idle).toEqual([])
  expect(await forget()).toBe(1)
  expect(await redis.exists(keys.host(team.id, 'bad'))).toBe(0)
})
