import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { main } from '../../agent/cli/main.ts'
import { fakeIo } from '../../agent/cli/output/fake-io.ts'
import type { AuditEntry } from '../../shared/api/audit.ts'
import type { SessionEntry } from '../../shared/api/own-sessions.ts'
import type { Session } from '../../shared/api/sessions.ts'
import type { Company } from '../../controller/store/companies.ts'
import { keys } from '../../controller/store/keys.ts'
import { apiOf, signIn, type Api } from '../support/api.ts'
import { request } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addSamlCompany } from '../support/saml-company.ts'
import { until } from '../support/until.ts'

let controller: TestController
let company: Company
let email: string

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
})
beforeEach(async () => {
  email = newEmail('ann')
  await controller.add(company.id, { email })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const person = (companyName = 'Acme') =>
  signIn(controller.baseUrl, { email, password: personsPassword, companyName })
const statusOf = async (api: Api) => (await api.send('GET', '/users/self')).status
const listOf = (api: Api) => api.get<SessionEntry[]>('/users/self/sessions')
const idOf = async (api: Api) => (await listOf(api)).find(({ current }) => current)?.id ?? ''
const end = (api: Api, id: string) => api.send('DELETE', `/users/self/sessions/${id}`)
const renewal = ({ session }: Api) =>
  request(controller.baseUrl, 'POST', '/v1/users/renew/rbac', {
    form: { email, companyId: session.company_id, renewToken: session.renew_token },
  })

test('are listed with how, from where and with what they were begun', async () => {
  const before = Date.now()
  const answer = await request(controller.baseUrl, 'POST', '/v1/users/auth', {
    form: { email, password: personsPassword },
    headers: { 'user-agent': `Browser/1\t${'x'.repeat(400)}` },
  })
  const [session] = answer.json as [Session]
  const api = apiOf(controller.baseUrl, session)
  const beside = await person()
  const listed = await listOf(beside)
  expect(listed.map(({ current }) => current)).toEqual([true, false])
  expect(listed[1]).toEqual({
    id: await idOf(api),
    current: false,
    method: 'password',
    second_factor: false,
    org_id: null,
    created_at: expect.any(String) as string,
    last_used_at: expect.any(String) as string,
    expires_at: session.expires_at,
    ends_at: expect.any(String) as string,
    address: '127.0.0.1',
    user_agent: `Browser/1 ${'x'.repeat(290)}`,
  })
  expect(Date.parse(listed[1]?.created_at ?? '')).toBeGreaterThanOrEqual(before)
  // Nothing in it opens anything.
  expect(JSON.stringify(listed)).not.toContain(session.token)
  expect(JSON.stringify(listed)).not.toContain(session.renew_token)
})

test('one that is ended is refused from its next request on, and not renewed; others go on', async () => {
  const [here, stolen, other] = [await person(), await person(), await person()]
  const id = await idOf(stolen)
  expect(await end(here, id)).toMatchObject({ status: 200, text: 'Success' })
  expect([await statusOf(here), await statusOf(stolen), await statusOf(other)]).toEqual([
    200, 401, 200,
  ])
  expect(problem(await renewal(stolen)).code).toBe('unauthenticated')
  expect((await renewal(other)).status).toBe(200)
  expect((await listOf(here)).map((one) => one.id)).not.toContain(id)
  expect(problem(await end(here, id)).code).toBe('session_not_found')
  const owner = await controller.join(company, {
    email: newEmail('owner'),
    roles: ['COMPANY_OWNER'],
  })
  const { items } = await owner.get<{ items: AuditEntry[] }>('/audit?action=session.end')
  expect(items[0]).toMatchObject({
    result: 'refused',
    code: 'session_not_found',
    actor: { name: email },
  })
  expect(items[1]).toMatchObject({
    result: 'ok',
    actor: { name: email },
    target: { kind: 'session', id },
  })
})

test('the present one may be ended as well, or all but it', async () => {
  const [here, there, third] = [await person(), await person(), await person()]
  expect((await end(third, await idOf(third))).status).toBe(200)
  expect(await statusOf(third)).toBe(401)
  expect((await here.send('DELETE', '/users/self/sessions')).status).toBe(200)
  expect([await statusOf(here), await statusOf(there)]).toEqual([200, 401])
  expect(await listOf(here)).toHaveLength(1)
})

test('somebody else’s is not there, whoever asks, and goes on', async () => {
  const mine = await person()
  const owner = await controller.join(company, {
    email: newEmail('owner'),
    roles: ['COMPANY_OWNER'],
  })
  const id = await idOf(mine)
  for (const wanted of [id, randomUUID(), mine.session.token, 'x', '%2e%2e', id.toUpperCase()])
    expect(problem(await end(owner, wanted))).toEqual({ status: 404, code: 'session_not_found' })
  expect((await owner.send('DELETE', '/users/self/sessions')).status).toBe(200)
  expect(await statusOf(mine)).toBe(200)
  expect((await listOf(owner)).map((one) => one.id)).not.toContain(id)
  // What somebody sent in place of an id stays out of the audit: it may have been a token.
  expect((await owner.send('GET', '/audit?action=session.end')).text).not.toContain(
    mine.session.token,
  )
})

test('the provider of one company sees and ends none of another', async () => {
  const saml = await addSamlCompany(controller, 'Elsewhere')
  await controller.add(saml.company.id, { email })
  const here = await person()
  const there = await person(saml.company.name)
  const sso = await saml.enter({ email })
  const listed = await listOf(sso)
  expect(listed.map(({ method }) => method)).toEqual(['saml', 'password'])
  expect(problem(await end(sso, await idOf(here))).code).toBe('session_not_found')
  expect((await end(sso, await idOf(there))).status).toBe(200)
  expect([await statusOf(here), await statusOf(there), await statusOf(sso)]).toEqual([
    200, 401, 200,
  ])
})

test('what is over by itself is not listed: another password, no place any more', async () => {
  const here = await person()
  await person()
  expect(await listOf(here)).toHaveLength(2)
  const form = { currentPassword: personsPassword, newPassword: 'a new and longer password' }
  expect((await here.send('PUT', '/users/auth/password', { form })).status).toBe(200)
  expect(await listOf(here)).toHaveLength(1)
})

test('a use is noted once a minute, and never brings an ended session back', async () => {
  const [here, there] = [await person(), await person()]
  const id = await idOf(there)
  const key = keys.session(id)
  const { last_used_at: fresh } = (await listOf(here)).find((one) => one.id === id) ?? {}
  expect(await statusOf(there)).toBe(200)
  const long = Date.now() - 120_000
  await controller.redis.hset(key, 'usedMs', long)
  expect(await statusOf(there)).toBe(200)
  const noted = await until('the use is noted', async () => {
    const used = await controller.redis.hget(key, 'usedMs')
    return used === String(long) ? undefined : Number(used)
  })
  expect(noted).toBeGreaterThanOrEqual(Date.parse(fresh ?? ''))
  const record = await controller.store.sessions.read(id)
  await end(here, id)
  if (record) await controller.store.sessions.markUsed(record, Date.now())
  expect(await controller.redis.exists(key)).toBe(0)
})

test('a key is told to sign in', async () => {
  const owner = await controller.join(company, {
    email: newEmail('owner'),
    roles: ['COMPANY_OWNER'],
  })
  const key = await owner.send('POST', '/apikeys', { json: { identifier: 'ci' } })
  const script = apiOf(controller.baseUrl, { ...owner.session, header: `Key ${key.text}` })
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['DELETE', `/${await idOf(owner)}`],
  ] as const)
    expect(problem(await script.send(method, `/users/self/sessions${path}`)).code).toBe('forbidden')
  expect(await statusOf(owner)).toBe(200)
})

test('temblor session lists them, ends one, and all others', async () => {
  const [here, second, third] = [await person(), await person(), await person()]
  const run = async (...args: string[]) => {
    const environment = { TEMBLOR_URL: controller.baseUrl, TEMBLOR_TOKEN: here.session.token }
    const io = fakeIo({ ...environment, HOME: '/nonexistent' })
    const code = await main(['session', ...args], io)
    return { code, out: io.out.join('\n'), err: io.err.join('\n') }
  }
  const id = await idOf(second)
  const { out } = await run('list')
  expect(out).toMatch(
    new RegExp(`${await idOf(here)} \\(this one\\) .* password .* 127\\.0\\.0\\.1`),
  )
  expect(out).toContain(id)
  expect(await run('end', id)).toMatchObject({ code: 0, out: `Ended: the session ${id}.` })
  expect([await statusOf(here), await statusOf(second), await statusOf(third)]).toEqual([
    200, 401, 200,
  ])
  expect(await run('end', id)).toMatchObject({
    code: 1,
    err: expect.stringContaining('no session with this sessionId') as string,
  })
  expect((await run('end')).code).toBe(2)
  expect((await run('end', id, '--others')).code).toBe(2)
  expect((await run('end', '--others')).code).toBe(0)
  expect([await statusOf(here), await statusOf(third)]).toEqual([200, 401])
})
