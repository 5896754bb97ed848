import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ApiKey } from '../../shared/api/api-keys.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { apiOf, type Api } from '../support/api.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { request, type Answer } from '../support/http.ts'
import { problem } from '../support/problem.ts'
import { until } from '../support/until.ts'

let controller: TestController
let company: { id: string; name: string }
/** The older and the newer team. */
let teams: { id: string; name: string }[]
let ann: Api
let email: string

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  teams = []
  for (const name of ['First', 'Second', 'Third'])
    teams.push(await controller.store.companies.addTeam(company as never, name))
})
beforeEach(async () => {
  email = newEmail('ann')
  ann = await controller.join(company, { email, teams: roles('TEAM_USER') })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const teamId = (index: number) => teams[index]?.id ?? ''
const roles = (role: 'TEAM_USER' | 'TEAM_VIEWER') => ({
  [teamId(0)]: [role],
  [teamId(1)]: [role],
})
const make = (api: Api, more: Record<string, unknown> = {}) =>
  api.send('POST', '/apikeys', { json: { identifier: 'ci 1', ...more } })
const keyOf = async (api: Api, more: Record<string, unknown> = {}) => {
  const answer = await make(api, more)
  expect(answer).toMatchObject({ status: 201 })
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return answer.text
}
const using = (key: string): Api =>
  apiOf(controller.baseUrl, { ...ann.session, header: `Key ${key}` })
const self = async (key: string, query = '') =>
  (await using(key).send('GET', `/users/self${query}`)).json as {
    org_id: string
    privileges: string[]
  }
const dead = { status: 401, code: 'unauthenticated' }
const own = (api: Api) => api.get<ApiKey[]>('/apikeys')

test('a key does what its owner may do, is shown once and kept as a keyed hash', async () => {
  const key = await keyOf(ann, { description: 'nightly' })
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(await self(key)).toMatchObject({
    identifier: email,
    privileges: expect.arrayContaining(['EXPERIMENTS_RUN']),
  })
  const listed = await own(ann)
  expect(listed).toMatchObject([
    { identifier: 'ci 1', description: 'nightly', state: 'ACTIVE', created_by: email },
  ])
  expect(JSON.stringify(listed)).not.toContain(key)
  expect((await using(key.toUpperCase()).send('GET', '/users/self')).status).toBe(200)
  expect(await ann.get('/apikeys/active')).toEqual(await own(ann))
  await until('its use is noted', async () => (await own(ann))[0]?.last_used_at !== null)
})

test('it works in the team named when it was made, else in the oldest; teamId overrides', async () => {
  const first = await keyOf(apiOf(controller.baseUrl, ann.session), { teamId: teamId(0) })
  const second = await keyOf(ann, { teamId: 'second' })
  expect(await self(first)).toMatchObject({ org_id: teamId(0) })
  expect(await self(second)).toMatchObject({ org_id: teamId(1) })
  expect((await using(second).send('GET', `/attacks?teamId=${teamId(0)}`)).status).toBe(200)
  const foreign = await using(second).send('GET', `/attacks?teamId=${teamId(2)}`)
  expect(problem(foreign)).toEqual({ status: 403, code: 'wrong_team' })
  expect(problem(await make(ann, { teamId: teamId(2) }))).toEqual({
    status: 403,
    code: 'wrong_team',
  })
})

test('made for the company it works in the oldest team of its owner at the time, unless teamId names one', async () => {
  const form = { email, password: personsPassword }
  const path = '/v1/users/auth?getCompanySession=true'
  const answer = await request(controller.baseUrl, 'POST', path, { form })
  const whole = apiOf(controller.baseUrl, answer.json as Session)
  const key = await keyOf(whole)
  expect((await own(whole))[0]).toMatchObject({ org_id: null })
  expect(await self(key)).toMatchObject({ org_id: teamId(0) })
  const attacks = (query: string) => using(key).send('GET', `/attacks${query}`)
  expect((await attacks(`?teamId=${teamId(1)}`)).status).toBe(200)
  expect(problem(await attacks(`?teamId=${teamId(2)}`)).code).toBe('wrong_team')
  await controller.add(company.id, { email, teams: { [teamId(1)]: ['TEAM_USER'] } })
  expect(await self(key)).toMatchObject({ org_id: teamId(1) })
  expect(problem(await attacks(`?teamId=${teamId(0)}`)).code).toBe('wrong_team')
  expect((await attacks('')).status).toBe(200)
})

describe('the session of one team', () => {
  test('still is for that team alone', async () => {
    const other = ann.session.org_id === teamId(0) ? teamId(1) : teamId(0)
    expect(problem(await ann.send('GET', `/attacks?teamId=${other}`))).toEqual({
      status: 403,
      code: 'wrong_team',
    })
  })
})

test('rights follow those of the owner at each request; who is out of the company is out', async () => {
  const key = await keyOf(ann)
  const run = () => using(key).send('POST', '/attacks/new', { json: {} })
  expect(problem(await run()).status).toBe(400)
  await controller.add(company.id, { email, teams: roles('TEAM_VIEWER') })
  expect(problem(await run())).toEqual({ status: 403, code: 'forbidden' })
  await controller.add(company.id, { email, teams: roles('TEAM_USER') })
  expect(problem(await run()).status).toBe(400)
  await controller.add(company.id, { email, teams: {} })
  expect(problem(await using(key).send('GET', '/attacks')).status).toBe(401)
})

test('revoked it is dead at once, reinstated it lives; others go on', async () => {
  const [key, other] = [await keyOf(ann), await keyOf(ann, { identifier: 'other' })]
  const id = (await own(ann)).find((one) => one.identifier === 'ci 1')?.id ?? ''
  expect(await ann.send('DELETE', `/apikeys/${id}`)).toMatchObject({ status: 200, text: 'Success' })
  expect(problem(await using(key).send('GET', '/users/self'))).toEqual(dead)
  expect((await using(other).send('GET', '/users/self')).status).toBe(200)
  expect((await own(ann)).find((one) => one.id === id)).toMatchObject({
    state: 'REVOKED',
    revoked_by: email,
  })
  expect((await ann.send('PUT', `/apikeys/${id}/activate`)).status).toBe(200)
  expect((await using(key).send('GET', '/users/self')).status).toBe(200)
  expect((await ann.send('DELETE', '/apikeys/other')).status).toBe(200)
  expect(problem(await using(other).send('GET', '/users/self'))).toEqual(dead)
})

test('it expires, and a new moment brings it back', async () => {
  const { apiKeys, users } = controller.store
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const key = await keyOf(ann, { expiresAt })
  expect(await own(ann)).toMatchObject([{ state: 'ACTIVE', expires_at: expiresAt }])
  expect((await using(key).send('GET', '/users/self')).status).toBe(200)
  const [record] = await apiKeys.list((await users.findByEmail(email))?.id ?? '')
  const soonMs = Date.now() + 500
  if (record) await apiKeys.change(record, { expiresMs: String(soonMs) }, 5)
  await until(
    'it has expired',
    async () => (await using(key).send('GET', '/users/self')).status === 401,
  )
  expect(Date.now()).toBeGreaterThanOrEqual(soonMs)
  expect(await own(ann)).toMatchObject([{ state: 'IDLE' }])
  const later = encodeURIComponent(new Date(Date.now() + 60_000).toISOString())
  const moved = await ann.send('PUT', `/apikeys/ci%201/expiration?expiresAt=${later}`)
  expect(moved.status).toBe(200)
  expect((await using(key).send('GET', '/users/self')).status).toBe(200)
  for (const wrong of ['2020-01-01T00:00:00Z', 'soon', '1'])
    expect(problem(await make(ann, { expiresAt: wrong }))).toEqual({
      status: 400,
      code: 'invalid_body',
    })
})

test('five are active at most, however many are asked for at once, and reinstating counts', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => make(ann)))
  expect(answers.filter((answer) => answer.status === 201).length).toBe(5)
  const refused = answers.filter((answer) => answer.status !== 201) as Answer[]
  for (const answer of refused)
    expect(problem(answer)).toEqual({ status: 409, code: 'too_many_keys' })
  const [first] = await own(ann)
  expect((await ann.send('DELETE', `/apikeys/${first?.id}`)).status).toBe(200)
  await keyOf(ann, { identifier: 'fifth' })
  expect(problem(await ann.send('PUT', `/apikeys/${first?.id}/activate`)).code).toBe(
    'too_many_keys',
  )
})

test("nobody touches another's keys, but managers of the company see and revoke them", async () => {
  const key = await keyOf(ann)
  const [{ id } = { id: '' }] = await own(ann)
  const bob = await controller.join(company, { email: newEmail('bob'), teams: roles('TEAM_USER') })
  for (const [method, path] of [
    ['DELETE', `/apikeys/${id}`],
    ['PUT', `/apikeys/${id}/activate`],
    ['PUT', `/apikeys/${id}/expiration`],
  ] as const)
    expect(problem(await bob.send(method, path))).toEqual({ status: 404, code: 'key_not_found' })
  expect(problem(await bob.send('GET', '/apikeys/all-for-company')).status).toBe(403)
  const elsewhere = await controller.store.companies.addCompany(`Elsewhere ${randomUUID()}`)
  const boss = { email: newEmail('boss'), roles: ['COMPANY_MANAGER'] as const }
  const stranger = await controller.join(elsewhere, { ...boss, email: newEmail('stranger') })
  const path = (of: string) => `/companies/${of}/users/${email}/api-key/${id}`
  for (const of of [company.id, elsewhere.id])
    expect(problem(await stranger.send('DELETE', path(of)))).toMatchObject({ status: 404 })
  expect(JSON.stringify(await stranger.get('/apikeys/all-for-company'))).not.toContain(id)
  expect((await using(key).send('GET', '/users/self')).status).toBe(200)
  const manager = await controller.join(company, boss)
  expect(JSON.stringify(await manager.get('/apikeys/all-for-company'))).toContain(id)
  expect((await manager.send('DELETE', path(company.id))).status).toBe(200)
  expect(problem(await using(key).send('GET', '/users/self'))).toEqual(dead)
  expect(await own(ann)).toMatchObject([{ revoked_by: boss.email }])
})

test.each([
  'Key',
  'Key x',
  `Key ${'g'.repeat(64)}`,
  `Key ${'ab'.repeat(32)}`,
  `Bearer ${'ab'.repeat(32)}`,
])('"%s" is nobody', async (authorization) => {
  const answer = await request(controller.baseUrl, 'GET', '/v1/users/self', {
    headers: { authorization },
  })
  expect(problem(answer)).toEqual(dead)
})

test('a key has no session to end', async () => {
  const key = await keyOf(ann)
  expect(problem(await using(key).send('DELETE', '/users/auth')).status).toBe(403)
  expect((await using(key).send('GET', '/users/self')).status).toBe(200)
})
