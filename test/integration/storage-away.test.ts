import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Team } from '../../controller/store/companies.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { auditOf } from '../support/audit.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { joinStreamAgent } from '../support/stream-agent.ts'
import { targetingRig } from '../support/targeting-rig.ts'
import { until } from '../support/until.ts'

let controller: TestController
let team: Team
let api: Api
let viewer: Api
let stranger: Api
let owner: Api
const manager = newEmail('manager')

beforeAll(async () => {
  controller = await startTestController({ TEMBLOR_REGISTRATIONS_PER_SECOND: '1' })
  const company = await controller.store.companies.addCompany('Acme')
  team = await controller.store.companies.addTeam(company, 'Payments')
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  api = await controller.join(company, { email: manager, teams })
  owner = await controller.join(company, { email: newEmail('owner'), roles: ['COMPANY_OWNER'] })
  const views = { [team.id]: ['TEAM_VIEWER'] as const }
  viewer = await controller.join(company, { email: newEmail('viewer'), teams: views })
  const other = await controller.store.companies.addCompany('Other')
  stranger = await controller.join(other, { email: newEmail('owner'), roles: ['COMPANY_OWNER'] })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

async function redisPid(): Promise<number> {
  return Number(/process_id:(\d+)/.exec(await controller.redis.info('server'))?.[1])
}

test('while storage is away the session stays, its lease is acknowledged, and what was reported meanwhile counts', async () => {
  const agent = await joinStreamAgent('h1', await controller.joinLine(team))
  await using session = agent.open()
  let isOver = false
  void session.ended.then(() => (isOver = true))
  await session.hear(({ welcome }) => welcome)
  const id = await api.attack(cpuAttack('-l 60 -p 1'))
  const { message } = await session.hear(({ run }) => run)
  const ids = { executionId: message.run?.executionId ?? '', generation: 1 }
  session.send({ commandAck: ids })
  const report = (seq: number, stage: string, reason = '') =>
    session.send({ executionUpdate: { ...ids, seq, stage, reason, ageMs: 0 } })
  report(1, 'Running')
  await session.hear(({ updateAck }) => updateAck?.seq === 1)
  const pid = await redisPid()
  process.kill(pid, 'SIGSTOP')
  try {
    report(2, 'TearingDown')
    report(3, 'Successful', 'completed')
    session.send({ heartbeat: { seq: 7, running: [ids] } })
    await session.hear(({ leaseAck }) => leaseAck?.heartbeatSeq === 7)
    const refused = await api.send('POST', '/attacks/new', { json: cpuAttack('-l 1 -p 1') })
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'storage_unavailable' } } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(session.heard.some(({ message: one }) => (one.updateAck?.seq ?? 0) > 1)).toBe(false)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await session.hear(({ updateAck }) => updateAck?.seq === 3)
  expect(isOver).toBe(false)
  expect(await api.finished(id)).toMatchObject([{ stage: 'Successful', reason: 'completed' }])
  expect(await api.attacks()).toHaveLength(1)
})

test('while storage is away a halt of whoever was let in lately and may halt reaches the agents', async () => {
  const agent = await joinStreamAgent('h3', await controller.joinLine(team))
  await using session = agent.open(undefined, {
    knownExecutions: [{ executionId: crypto.randomUUID(), generation: 1 }],
  })
  await session.hear(({ welcome }) => welcome)
  const id = await api.attack(cpuAttack('-l 60 -p 1', { type: 'Exact', exact: ['h3'] }))
  const { message } = await session.hear(({ run }) => run)
  const ids = { executionId: message.run?.executionId ?? '', generation: 1 }
  session.send({ commandAck: ids })
  const report = (seq: number, stage: string, reason = '') =>
    session.send({ executionUpdate: { ...ids, seq, stage, reason, ageMs: 0 } })
  report(1, 'Running')
  await session.hear(({ updateAck }) => updateAck?.seq === 1)
  for (const one of [viewer, stranger])
    expect((await one.send('GET', '/users/self')).status).toBe(200)
  const unreported = await api.attack(cpuAttack('-l 60 -p 1', { type: 'Exact', exact: ['h3'] }))
  const given = await session.hear(({ run }) => run?.attackId === unreported)
  const halts = () =>
    session.heard.filter(({ message: one }) => one.halt?.executionId === ids.executionId)
  const pid = await redisPid()
  process.kill(pid, 'SIGSTOP')
  try {
    const halt = `/attacks/${id}/halt`
    const refused = await Promise.all([
      viewer.send('POST', halt),
      stranger.send('POST', '/halts'),
      stranger.send('POST', halt),
      api.send('POST', halt, { headers: { authorization: `Bearer ${crypto.randomUUID()}` } }),
    ])
    expect(refused.map(({ status }) => status)).toEqual([403, 503, 403, 503])
    expect(refused[1]?.json).toMatchObject({ error: { details: { executions_told: 0 } } })
    expect(halts()).toEqual([])
    const told = await api.send('POST', halt)
    expect(told).toMatchObject({
      status: 503,
      json: { error: { code: 'storage_unavailable', details: { executions_told: 1 } } },
    })
    await session.hear(({ halt: one }) => one?.executionId === ids.executionId)
    // It may have begun: it was ordered, and nothing else is known of it.
    expect(await api.send('POST', `/attacks/${unreported}/halt`)).toMatchObject({
      json: { error: { details: { executions_told: 1 } } },
    })
    const { executionId } = given.message.run ?? {}
    await session.hear(({ halt: one }) => one?.executionId === executionId)
    report(2, 'UserHalted', 'halted')
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await session.hear(({ updateAck }) => updateAck?.seq === 2)
  expect(await api.finished(id)).toMatchObject([{ stage: 'UserHalted', reason: 'halted' }])
  // Once it can, the audit tells that it failed, and that it was carried out all the same.
  const { entries } = auditOf(() => owner)
  const told = async () =>
    (await entries('?action=attack.halt')).filter(
      ({ target, result }) => target?.name === id && result === 'failed',
    )
  await until('the audit tells of the halt', async () => (await told()).length > 0)
  expect(await told()).toMatchObject([
    {
      result: 'failed',
      code: 'storage_unavailable',
      actor: { kind: 'user', name: manager },
      detail: { executions_told: 1 },
    },
  ])
})

test('an attack that storage took long to write still reaches its agent before the next heartbeat', async () => {
  const agent = await joinStreamAgent('h4', await controller.joinLine(team))
  await using session = agent.open()
  await session.hear(({ welcome }) => welcome)
  const pid = await redisPid()
  process.kill(pid, 'SIGSTOP')
  const created = api.attack(cpuAttack('-l 60 -p 1', { type: 'Exact', exact: ['h4'] }))
  // What was in hand for so long may have been halted meanwhile, and is read again.
  await sleep(1_200)
  process.kill(pid, 'SIGCONT')
  const { message } = await session.hear(({ run }) => run)
  expect(message.run?.attackId).toBe(await created)
})

test('an attack that storage was given before it stood still does not begin when nobody waits for it any more', async () => {
  const { attacks } = controller.store
  const rig = targetingRig(controller.redis, team.id)
  // Its team is known as busy, and its clock as well: only the writing script is left to be asked for.
  expect(await rig.create({})).toMatchObject({ kind: 'created' })
  const before = await attacks.activeIds(team.id)
  const pid = await redisPid()
  process.kill(pid, 'SIGSTOP')
  try {
    await expect(rig.create({})).rejects.toThrow(/timed out/)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  // Asked over the same connection: what was queued there has been answered before.
  expect(await attacks.activeIds(team.id)).toEqual(before)
  expect(await rig.create({})).toMatchObject({ kind: 'created' })
})

test('agents beyond the limit are sent away and told when to come back; those with attacks are let in', async () => {
  const agent = await joinStreamAgent('h2', await controller.joinLine(team))
  const busy = { knownExecutions: [{ executionId: crypto.randomUUID(), generation: 1 }] }
  const sentAway = await until('one is sent away', async () => {
    await using session = agent.open()
    const welcome = session.hear(({ welcome: one }) => one).then(() => undefined)
    return await Promise.race([session.ended, welcome])
  })
  expect(sentAway).toMatchObject({ code: 14 })
  expect(Number(sentAway.metadata.get('retry-after')[0])).toBeGreaterThan(0)
  await using session = agent.open(undefined, busy)
  await session.hear(({ welcome }) => welcome)
})
