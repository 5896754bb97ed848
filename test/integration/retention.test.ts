import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetAttacks } from '../../controller/jobs/retention.ts'
import type { Company, Team } from '../../controller/store/companies.ts'
import { keys } from '../../controller/store/keys.ts'
import type { Api } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { namesIn } from '../support/redis.ts'
import { targetingRig } from '../support/targeting-rig.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000
const never = new AbortController().signal

let controller: TestController
let company: Company
let team: Team
let api: Api

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  team = await controller.store.companies.addTeam(company, 'Payments')
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  api = await controller.join(company, { email: newEmail('manager'), teams })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

/** An attack that was created so many days ago on `hosts` hosts; it ended so many days ago, or runs. */
async function attackOf(createdDaysAgo: number, endedDaysAgo?: number, hosts = 1): Promise<string> {
  const { redis, store } = controller
  const [attackId, at] = [randomUUID(), Date.now() - createdDaysAgo * dayMs]
  const ids = Array.from({ length: hosts }, () => randomUUID())
  await store.attacks.recordManual({
    teamId: team.id,
    attackId,
    executionId: ids[0] as string,
    host: 'h1',
    container: undefined,
    startedMs: at,
    type: 'cpu',
    args: [],
    params: {},
    lengthSeconds: 10,
  })
  const first = await redis.hgetall(keys.execution(team.id, ids[0] as string))
  const others = redis.pipeline()
  for (const id of ids) others.rpush(keys.series(team.id, id), `${at}@1`)
  for (const id of ids.slice(1)) {
    others.rpush(keys.attackExecutions(team.id, attackId), id)
    others.hset(keys.execution(team.id, id), { ...first, id })
    others.hincrby(keys.attack(team.id, attackId), 'open', 1)
  }
  // Nobody sweeps it up.
  others.zrem(keys.due(team.id), ids[0] as string)
  await others.exec()
  if (endedDaysAgo === undefined) return attackId
  for (const execution of (await store.executions.ofAttacks(team.id, [attackId])).flat())
    await store.executions.end(team.id, execution, { reason: 'host_revoked', message: 'over' })
  const endedMs = Number(await redis.hget(keys.attack(team.id, attackId), 'ended_ms'))
  expect(Math.abs(endedMs - Date.now())).toBeLessThan(10_000)
  await redis.hset(keys.attack(team.id, attackId), { ended_ms: Date.now() - endedDaysAgo * dayMs })
  return attackId
}

const listed = async (path = '/attacks') =>
  (await api.get<{ guid: string }[]>(path)).map(({ guid }) => guid)

/** The names of all keys of the team that are about attacks. */
const kept = async () =>
  (await namesIn(controller.redis, `temblor:{t:${team.id}}:*`)).filter((name) =>
    /:(attack|execution):/.test(name),
  )

test('what ended long ago is forgotten whole; what runs or ended lately stays', async () => {
  const running = await attackOf(301)
  const long = await attackOf(300, 89)
  const before = (await kept()).length
  const old = await attackOf(91, 91)
  const older = await attackOf(299, 290, 3)
  const recent = await attackOf(88, 88)
  expect(await listed()).toEqual([recent, old, older, long, running])
  expect(await forgetAttacks(controller.store, 90 * dayMs, never)).toBe(2)
  expect(await listed()).toEqual([recent, long, running])
  expect(await listed('/attacks/active')).toEqual([running])
  for (const id of [old, older])
    expect(problem(await api.send('GET', `/attacks/${id}`))).toEqual({
      status: 404,
      code: 'attack_not_found',
    })
  // Its record, its list of executions, one execution, one series.
  expect(await kept()).toHaveLength(before + 4)
  expect(await forgetAttacks(controller.store, 90 * dayMs, never)).toBe(0)
})

test('an attack on many hosts goes in slices, and is out of sight with the first', async () => {
  const before = await kept()
  const id = await attackOf(100, 100, 450)
  const slice = () => controller.store.retention.forgetAttacks(team.id, 90 * dayMs, 0)
  expect(await slice()).toMatchObject({ forgotten: 1, isMore: true })
  expect(await listed()).not.toContain(id)
  expect((await api.send('GET', `/attacks/${id}`)).status).toBe(404)
  expect((await kept()).length).toBeGreaterThan(before.length)
  expect(await slice()).toMatchObject({ forgotten: 0, isMore: true })
  // Whoever comes next ends what another one began.
  await forgetAttacks(controller.store, 90 * dayMs, never)
  expect((await kept()).toSorted()).toEqual(before.toSorted())
})

test('the next page follows also when the attack at its edge was forgotten', async () => {
  interface Page {
    readonly items: { readonly guid: string }[]
    readonly pageToken: string | null
  }
  const page = async (token: string) =>
    await api.get<Page>(`/attacks/paged?pageSize=1&pageToken=${token}`)
  const edge = await attackOf(200, 200)
  const newer = await attackOf(199, 10)
  const all = await listed()
  let [token, found] = ['', [] as string[]]
  while (found.at(-1) !== edge) {
    const { items, pageToken } = token
      ? await page(token)
      : await api.get<Page>('/attacks/paged?pageSize=1')
    found = [...found, ...items.map(({ guid }) => guid)]
    token = pageToken ?? ''
  }
  await forgetAttacks(controller.store, 90 * dayMs, never)
  expect(await listed()).toEqual(all.filter((id) => id !== edge))
  expect((await page(token)).items.map(({ guid }) => guid)).toEqual([all[all.indexOf(edge) + 1]])
  expect(found).toContain(newer)
  // A token that names an attack of today which is not there is none of this list.
  const answer = await api.send('GET', `/attacks/paged?pageToken=2.${randomUUID()}.${Date.now()}`)
  expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
})

test('expired invitations go, others stay', async () => {
  const { store, redis } = controller
  for (const [name, endsInMs] of [
    ['late', -1],
    ['early', dayMs],
  ] as const)
    await store.invitations.put(company.id, {
      email: `${name}@example.com`,
      codeHash: 'x',
      invitedBy: 'a@example.com',
      createdMs: Date.now(),
      expiresMs: Date.now() + endsInMs,
      membership: { roles: ['COMPANY_USER'], teams: {} },
    })
  expect(await store.retention.forgetInvitations(company.id)).toBe(1)
  expect(await redis.hkeys(keys.companyInvitations(company.id))).toEqual(['early@example.com'])
})

test('a controller forgets by itself, for as many days as it is told', async () => {
  const [old, recent] = [await attackOf(40, 40), await attackOf(20, 20)]
  const { redis } = controller
  // The one that runs took the turn at its start; with 90 days it kept both.
  expect(await redis.ttl(keys.retentionTurn)).toBeGreaterThan(3_000)
  await redis.del(keys.retentionTurn)
  const rig = targetingRig(redis, team.id)
  for (const [host, days] of Object.entries({ 'old host': 11, host: 9 })) {
    await rig.claim(host, {}, [], host, 1)
    await redis.hset(keys.host(team.id, host), { last_seen_ms: Date.now() - days * dayMs })
  }
  const settings = { TEMBLOR_ATTACK_DAYS: '30', TEMBLOR_HOST_DAYS: '10' }
  await using _ = await controller.further(settings)
  await until('the old one is forgotten', async () => !(await listed()).includes(old))
  await until(
    'the old host is forgotten',
    async () => (await redis.scard(keys.hosts(team.id))) === 1,
    // Silence counts for nothing while a controller that is busy has not looked.
    40_000,
  )
  expect(await redis.smembers(keys.hosts(team.id))).toEqual(['host'])
  expect(await listed()).toContain(recent)
  expect(await controller.store.retention.takeTurn(60)).toBe(false)
})
