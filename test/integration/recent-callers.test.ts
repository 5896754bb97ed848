import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Company, Team } from '../../controller/store/companies.ts'
import { apiOf, cpuAttack, signIn, type Api } from '../support/api.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type FurtherController,
  type TestController,
} from '../support/in-process.ts'
import { until } from '../support/until.ts'

/** Somebody may be known for a second at another controller than the one that put them out; the rest is the machine's. */
const atMostMs = 2_000

let a: TestController
let b: FurtherController
let company: Company
let team: Team
let email: string
let atA: Api
let atB: Api

beforeAll(async () => {
  a = await startTestController()
  b = await a.further()
  company = await a.store.companies.addCompany('Acme')
  team = await a.store.companies.addTeam(company, 'Payments')
})
beforeEach(async () => {
  email = newEmail('ann')
  await a.add(company.id, { email, teams: { [team.id]: ['TEAM_MANAGER'] } })
  atA = await signIn(a.baseUrl, { email, password: personsPassword, companyName: company.name })
  atB = apiOf(b.baseUrl, atA.session)
})
afterAll(async () => {
  await b?.[Symbol.asyncDispose]()
  await a?.[Symbol.asyncDispose]()
})

const statusOf = async (api: Api) => (await api.send('GET', '/users/self')).status

const create = (api: Api) => api.send('POST', '/attacks/new', { json: cpuAttack('-l 1') })

/** Ten requests, one right after the other. */
const several = (api: Api) => async () => {
  for (let n = 0; n < 10; n += 1) await statusOf(api)
}

/** How often sessions and members were read, by all controllers. */
async function readings(): Promise<number> {
  const statistics = await a.redis.info('commandstats')
  return Number(/cmdstat_hgetall:calls=(\d+)/.exec(statistics)?.[1] ?? 0)
}

/** How often something of a session is read for one request. */
async function readingsOf(request: () => Promise<unknown>): Promise<number> {
  const before = await readings()
  await request()
  return (await readings()) - before
}

test('who was let in a moment ago is not looked up again, until something has changed', async () => {
  await until('some of several are not', async () => (await readingsOf(several(atA))) < 10)
  await a.store.users.setName((await a.store.users.findByEmail(email))?.id ?? '', {
    first: 'Ann',
    last: null,
  })
  expect(await readingsOf(() => statusOf(atA))).toBeGreaterThan(0)
})

test('a session that ends at one controller is over there at once, and soon at the other', async () => {
  expect([await statusOf(atA), await statusOf(atB)]).toEqual([200, 200])
  expect((await atA.send('DELETE', '/users/auth')).status).toBe(200)
  const since = performance.now()
  expect(await statusOf(atA)).toBe(401)
  await until('it is over at the other', async () => (await statusOf(atB)) === 401)
  expect(performance.now() - since).toBeLessThan(atMostMs)
})

test('what a role allowed is gone with it, whoever takes it away', async () => {
  // There is no host.
  expect([(await create(atA)).status, (await create(atB)).status]).toEqual([400, 400])
  // As an administrator does it on the controller's host, past every controller.
  await a.add(company.id, { email, teams: { [team.id]: ['TEAM_VIEWER'] } })
  const since = performance.now()
  for (const api of [atA, atB])
    await until('it is gone', async () => (await create(api)).status === 403)
  expect(performance.now() - since).toBeLessThan(atMostMs)
})

test('nobody is known from before while a controller hears of no changes', async () => {
  expect(await statusOf(atB)).toBe(200)
  await a.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
  expect(await readingsOf(() => statusOf(atB))).toBeGreaterThan(0)
  await until('it hears of them again', async () => (await readingsOf(several(atB))) < 10)
})
