import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Company, Team } from '../../controller/store/companies.ts'
import { keys } from '../../controller/store/keys.ts'
import type { AuditEntry } from '../../shared/api/audit.ts'
import type { SessionEntry } from '../../shared/api/own-sessions.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addRenewer, noSession, type Renewer } from '../support/renewal.ts'
import { until } from '../support/until.ts'
import { namesIn } from '../support/redis.ts'

let controller: TestController
let company: Company
let team: Team
let ann: Renewer
let email: string

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())
beforeEach(async () => {
  ;({ company, team, email, ann } = await addRenewer(controller))
})

const ofCompany = '?getCompanySession=true'

describe('a renewal', () => {
  test.each([
    ['of a team', '', 'POST', '/users/renew/rbac'],
    ['of a team', '', 'GET', '/users/renew/rbac'],
    ['of a team', '', 'GET', '/users/renew'],
    ['of a team', '', 'POST', '/users/renew/'],
    ['of the company', ofCompany, 'POST', '/users/renew/rbac/'],
    ['of the company', ofCompany, 'GET', '/users/renew'],
  ])('%s gives the next pair for the same %s with %s %s', async (_, query, method, path) => {
    const first = await ann.signIn(query)
    const next = await ann.renewed(first, { method, path: path.replace(/\/$/, '') })
    const { token, renew_token, header, expires_at, ...same } = first
    expect(next).toMatchObject(same)
    for (const value of [next.token, next.renew_token])
      expect([token, renew_token]).not.toContain(value)
    expect(Date.parse(next.expires_at)).toBeGreaterThanOrEqual(Date.parse(expires_at))
    expect(header).not.toBe(next.header)
    expect([await ann.statusOf(first), await ann.statusOf(next)]).toEqual([401, 200])
    expect((await ann.api(next).send('GET', `/attacks?teamId=${team.id}`)).status).toBe(200)
    expect(await ann.statusOf(await ann.renewed(next))).toBe(200)
  })

  test('may name the team, and leave it empty', async () => {
    const first = await ann.signIn()
    const next = (await ann.renew(first, { teamId: team.id })).json as Session
    expect(await ann.statusOf((await ann.renew(next, { teamId: '' })).json as Session)).toBe(200)
    const whole = await ann.signIn(ofCompany)
    expect((await ann.renew(whole, { teamId: team.id })).status).toBe(200)
  })

  test('has the roles of now', async () => {
    const first = await ann.signIn(ofCompany)
    const roles = { [team.id]: ['TEAM_MANAGER'] as const }
    await controller.add(company.id, { email, roles: ['COMPANY_ADMIN'], teams: roles })
    const next = await ann.renewed(first)
    expect(next.roles).toEqual(['COMPANY_ADMIN'])
    expect(next.privileges).toContain('COMPANY_SECURITY_WRITE')
    expect(next.teams).toMatchObject([{ roles: ['TEAM_MANAGER'] }])
  })

  test('goes on when every controller was replaced in between', async () => {
    await using before = await controller.further()
    const first = await ann.signIn('', before.baseUrl)
    const second = await ann.renewed(first, { baseUrl: before.baseUrl })
    await before[Symbol.asyncDispose]()
    await using after = await controller.further()
    const third = await ann.renewed(second, { baseUrl: after.baseUrl })
    expect(await ann.statusOf(third)).toBe(200)
    expect(problem(await ann.renew(first, {}, { baseUrl: after.baseUrl }))).toEqual(noSession)
    expect(await ann.statusOf(third)).toBe(401)
  })
})

describe('a renew token is good once', () => {
  test('used again it ends the session, with the pair that it gave; others go on', async () => {
    const [first, other] = [await ann.signIn(), await ann.signIn()]
    const next = await ann.renewed(first)
    expect(await ann.statusOf(next)).toBe(200)
    expect(problem(await ann.renew(first))).toEqual(noSession)
    expect(await ann.statusOf(next)).toBe(401)
    expect(problem(await ann.renew(next))).toEqual(noSession)
    expect(await ann.statusOf(other)).toBe(200)
    expect(await ann.statusOf(await ann.renewed(other))).toBe(200)
  })

  test('an older one ends it as well', async () => {
    const first = await ann.signIn()
    const third = await ann.renewed(await ann.renewed(first))
    expect(await ann.statusOf(third)).toBe(200)
    expect(problem(await ann.renew(first))).toEqual(noSession)
    expect(await ann.statusOf(third)).toBe(401)
  })

  test('of twenty at once on two controllers one gets a pair, and the others end it', async () => {
    await using further = await controller.further()
    const [first, other] = [await ann.signIn(), await ann.signIn()]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ann.renew(first, {}, index % 2 === 0 ? { baseUrl: further.baseUrl } : {}),
      ),
    )
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners.length).toBe(1)
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(problem(answer)).toEqual(noSession)
    const pair = winners[0]?.json as Session
    expect(await ann.statusOf(pair)).toBe(401)
    expect(problem(await ann.renew(pair))).toEqual(noSession)
    expect(await ann.statusOf(await ann.renewed(other))).toBe(200)
  })
})

test('renewals are in the audit, and why one was refused', async () => {
  const first = await ann.signIn()
  await ann.renewed(first)
  expect(problem(await ann.renew(first))).toEqual(noSession)
  const boss = { email: newEmail('boss'), roles: ['COMPANY_ADMIN'] as const }
  const admin = await controller.join(company, boss)
  const entries = () => admin.get<{ items: AuditEntry[] }>('/audit?action=session.renew')
  const items = await until('both are there', async () => {
    const found = (await entries()).items
    return found.length === 2 ? found : undefined
  })
  expect(items).toMatchObject([
    { result: 'refused', code: 'renew_token_reused', actor: { kind: 'claimed', name: email } },
    { result: 'ok', actor: { kind: 'user', name: email } },
  ])
  expect(JSON.stringify(items)).not.toContain(first.renew_token)
})

describe('with an Idempotency-Key', () => {
  test('an answer that was lost is given again: the same pair, also to twenty at once', async () => {
    await using further = await controller.further()
    const [first, key] = [await ann.signIn(), randomUUID()]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ann.renewed(first, { key, ...(index % 2 === 0 ? { baseUrl: further.baseUrl } : {}) }),
      ),
    )
    const pairs = new Set(answers.map((one) => [one.token, one.renew_token, one.expires_at].join()))
    expect(pairs.size).toBe(1)
    const [next] = answers as [Session]
    expect(await ann.statusOf(next)).toBe(200)
    expect(await ann.statusOf(await ann.renewed(next, { key }))).toBe(200)
  })

  test.each([
    ['another key', { key: 'another' }],
    ['none', {}],
  ])('a second use under %s ends the session', async (_, how) => {
    const first = await ann.signIn()
    const next = await ann.renewed(first, { key: 'one' })
    expect(problem(await ann.renew(first, {}, how))).toEqual(noSession)
    expect(await ann.statusOf(next)).toBe(401)
  })

  test('after the next renewal, or ten seconds, it is a second use like any other', async () => {
    const one = await ann.signIn()
    const newest = await ann.renewed(await ann.renewed(one, { key: 'a' }), { key: 'b' })
    expect(problem(await ann.renew(one, {}, { key: 'a' }))).toEqual(noSession)
    expect(await ann.statusOf(newest)).toBe(401)
    const other = await ann.signIn()
    const next = await ann.renewed(other, { key: 'a' })
    const id = (await ann.api(next).get<SessionEntry[]>('/users/self/sessions'))[0]?.id ?? ''
    /** As if it had been renewed so long ago. */
    const wasRenewed = (agoMs: number) =>
      controller.redis.hset(keys.session(id), { renewedMs: Date.now() - agoMs })
    // That leaves the request some time to come.
    expect(await wasRenewed(7_000)).toBe(0)
    expect(await ann.renewed(other, { key: 'a' })).toEqual(next)
    await wasRenewed(10_001)
    expect(problem(await ann.renew(other, {}, { key: 'a' }))).toEqual(noSession)
    expect(await ann.statusOf(next)).toBe(401)
  })
})

test('Redis holds no token in the clear', async () => {
  const session = await ann.renewed(await ann.signIn(), { key: 'k' })
  const { redis } = controller
  const everything: unknown[] = []
  for (const name of await namesIn(redis, 'temblor:*')) {
    const type = await redis.type(name)
    if (type === 'string') everything.push(name, await redis.get(name))
    if (type === 'hash') everything.push(name, await redis.hgetall(name))
    if (type === 'zset') everything.push(name, await redis.zrange(name, '0', '-1'))
  }
  const text = JSON.stringify(everything)
  for (const known of [email, 'temblor:session:', 'temblor:renew-token:'])
    expect(text).toContain(known)
  for (const secret of [session.token, session.renew_token]) expect(text).not.toContain(secret)
})
