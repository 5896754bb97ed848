import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recoveryCodesIn, type MfaSecret } from '../../shared/api/mfa.ts'
import { sessionsOf, type Session } from '../../shared/api/sessions.ts'
import { apiOf, type Api } from '../support/api.ts'
import { request, type Answer } from '../support/http.ts'
import {
  newEmail,
  personsPassword as password,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { codeOf, forgetTries, giveSecondFactor, outcome, seedOfSmallCode } from '../support/mfa.ts'
import { problem } from '../support/problem.ts'
import { everythingIn, namesIn } from '../support/redis.ts'

let controller: TestController
let company: { id: string; name: string }
let team: { id: string }
let email: string
let userId: string

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  team = await controller.store.companies.addTeam(company as never, 'First')
})
beforeEach(async () => {
  await forgetTries(controller.redis)
  email = newEmail('ann')
  userId = await controller.add(company.id, { email, teams: { [team.id]: ['TEAM_USER'] } })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const post = (path: string, form: Record<string, string>) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth${path}`, { form })
const withCode = (token: string, more: Record<string, string> = {}) =>
  post('/mfa/auth', { email, password, token, ...more })
const apis = (answer: Answer): Api[] =>
  sessionsOf(answer.json as Session[]).map((session) => apiOf(controller.baseUrl, session))
const statusOf = async (api: Api | undefined) => (await api?.send('GET', '/users/self'))?.status
const codes = (answers: Answer[]) => answers.map(outcome)
const ticketOf = (answer: Answer) =>
  (answer.json as { error: { details: { ticket: string } } }).error.details.ticket

/** Enrols as existing clients do. Gives the seed and the recovery codes. */
async function enrol(): Promise<{ seed: string; recovery: string[] }> {
  const { secretKey } = (await post('/mfa/enable', { email, password })).json as MfaSecret
  const answer = await post('/mfa/validate', { email, token: codeOf(secretKey) })
  expect(answer.status).toBe(200)
  return { seed: secretKey, recovery: recoveryCodesIn(answer.text) }
}

describe('enrolment', () => {
  test('is pending until its first code, and then counts; nothing of it is kept in the clear', async () => {
    const enabled = await post('/mfa/enable', { email, password, provider: 'TOTP' })
    expect(enabled).toMatchObject({ status: 200 })
    expect(enabled.headers.get('cache-control')).toBe('no-store')
    const { secretKey, qrUrl } = enabled.json as MfaSecret
    expect(secretKey).toMatch(/^[A-Z2-7]{32}$/)
    expect(qrUrl).toMatch(/^data:image\/png;base64,/)
    const before = await post('', { email, password })
    expect(before.status).toBe(200)
    const [first] = apis(before)
    expect(await first?.get('/users/auth/mfa/info')).toMatchObject({ enabled: 'false' })
    // What is only pending signs nobody in.
    expect(problem(await withCode(codeOf(secretKey))).code).toBe('invalid_credentials')
    const wrong = await post('/mfa/validate', { email, token: '000000' })
    expect(problem(wrong)).toEqual({ status: 401, code: 'invalid_credentials' })

    const validated = await post('/mfa/validate', { email, token: codeOf(secretKey) })
    expect(validated).toMatchObject({ status: 200, text: expect.stringMatching(/^Success\n/) })
    const recovery = recoveryCodesIn(validated.text)
    expect(recovery.length).toBe(10)
    expect(problem(await post('', { email, password }))).toEqual({
      status: 401,
      code: 'mfa_required',
    })
    expect(await first?.get('/users/auth/mfa/info')).toEqual({
      enabled: 'true',
      provider: 'TOTP',
      required: false,
      recovery_codes_left: 10,
    })
    const sessions = await withCode(codeOf(secretKey, 1))
    expect(await statusOf(apis(sessions)[0])).toBe(200)
    const kept = (await everythingIn(controller.redis)).join('\n')
    expect(kept).toContain(email)
    const bare = recovery.map((one) => one.replaceAll('-', ''))
    for (const secret of [secretKey, ...recovery, ...bare])
      expect(kept.includes(secret)).toBe(false)
  })

  test('a second begin takes the place of the first; who has one gets no other', async () => {
    const first = (await post('/mfa/enable', { email, password })).json as MfaSecret
    const second = (await post('/mfa/enable', { email, password })).json as MfaSecret
    const stale = await post('/mfa/validate', { email, token: codeOf(first.secretKey) })
    expect(problem(stale).code).toBe('invalid_credentials')
    const good = await post('/mfa/validate', { email, token: codeOf(second.secretKey) })
    expect(good.status).toBe(200)
    expect(problem(await post('/mfa/enable', { email, password }))).toEqual({
      status: 409,
      code: 'mfa_enabled',
    })
    const blind = await post('/mfa/enable', { email, password: 'wrong' })
    expect(problem(blind).code).toBe('invalid_credentials')
  })

  test('twenty first codes at once give recovery codes once', async () => {
    const { secretKey } = (await post('/mfa/enable', { email, password })).json as MfaSecret
    const token = codeOf(secretKey)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('/mfa/validate', { email, token })),
    )
    expect(codes(answers).filter((code) => code === 'in')).toEqual(['in'])
  })

  test('what was begun with a password that was changed since, or before a revocation, is over', async () => {
    const { members, users } = controller.store
    const begin = async () =>
      ((await post('/mfa/enable', { email, password })).json as MfaSecret).secretKey
    const old = await begin()
    await users.endSessions(userId)
    expect(problem(await post('/mfa/validate', { email, token: codeOf(old) })).status).toBe(401)
    const next = await begin()
    const away = { state: 'REVOKED' } as const
    await members.change(company.id, userId, (now) => ({ ...now, ...away }))
    expect(problem(await post('/mfa/validate', { email, token: codeOf(next) })).status).toBe(401)
    const back = { state: 'ACTIVE', sinceMs: Date.now() } as const
    await members.change(company.id, userId, (now) => ({ ...now, ...back }))
    expect(problem(await post('/mfa/validate', { email, token: codeOf(next) })).status).toBe(401)
    expect((await post('/mfa/validate', { email, token: codeOf(await begin()) })).status).toBe(200)
  })
})

describe('a code', () => {
  test('is good once: not twice, not an earlier one after a later one, not that of another', async () => {
    const seed = await giveSecondFactor(controller.store, userId)
    const other = await giveSecondFactor(
      controller.store,
      await controller.add(company.id, { email: newEmail('bob') }),
    )
    const token = codeOf(seed)
    const later = codeOf(seed, 1)
    expect(codes([await withCode(codeOf(other))])).toEqual(['invalid_credentials'])
    expect(codes([await withCode(token), await withCode(token)])).toEqual([
      'in',
      'invalid_credentials',
    ])
    expect(codes([await withCode(later), await withCode(token)])).toEqual([
      'in',
      'invalid_credentials',
    ])
  })

  test('twenty at once open sessions once', async () => {
    const token = codeOf(await giveSecondFactor(controller.store, userId))
    const answers = await Promise.all(Array.from({ length: 20 }, () => withCode(token)))
    expect(codes(answers).filter((code) => code === 'in')).toEqual(['in'])
    const id = (await controller.store.mfa.find(userId))?.id ?? ''
    const step = { kind: 'step', step: Math.floor(Date.now() / 30_000) + 5 } as const
    const uses = await Promise.all(
      Array.from({ length: 20 }, () => controller.store.mfa.use(userId, id, step)),
    )
    expect(uses.filter(Boolean).length).toBe(1)
  })

  test('may be sent as a number, which has no leading zeros', async () => {
    const seed = seedOfSmallCode()
    const id = await controller.store.mfa.propose(userId, seed, 0)
    await controller.store.mfa.confirm(userId, id, 0, [])
    const json = { email, password, token: Number(codeOf(seed)) }
    const answer = await request(controller.baseUrl, 'POST', '/v1/users/auth/mfa/auth', { json })
    expect(answer.status).toBe(200)
  })

  test('opens one session of the company where that is asked for, in the company that is named', async () => {
    const other = await controller.store.companies.addCompany(newEmail('other'))
    await controller.add(other.id, { email })
    const seed = await giveSecondFactor(controller.store, userId)
    const ask = (companyName?: string) =>
      post('/mfa/auth?getCompanySession=true', {
        email,
        password,
        token: codeOf(seed),
        ...(companyName ? { companyName } : {}),
      })
    // Neither uses the code up: the one does not fit, the other has to be said more exactly.
    expect(problem(await ask('Nowhere')).code).toBe('invalid_credentials')
    const which = await ask()
    expect(problem(which)).toEqual({ status: 400, code: 'invalid_body' })
    expect((await ask('acme')).json).toMatchObject({ company_id: company.id })
  })
})

describe('a recovery code', () => {
  test('stands in for a code once, however it is typed, and is told to the audit', async () => {
    const { recovery } = await enrol()
    const [one = '', two = '', three = ''] = recovery
    expect(codes([await withCode(one), await withCode(one)])).toEqual(['in', 'invalid_credentials'])
    const answer = await withCode(` ${two.toUpperCase().replaceAll('-', ' ')}`)
    expect(codes([answer])).toEqual(['in'])
    expect(await apis(answer)[0]?.get('/users/auth/mfa/info')).toMatchObject({
      recovery_codes_left: 8,
    })
    const kept = (await everythingIn(controller.redis)).join('\n')
    expect(kept).toContain('mfa.recovery-code-used')
    await forgetTries(controller.redis)
    const answers = await Promise.all(Array.from({ length: 20 }, () => withCode(three)))
    expect(codes(answers).filter((code) => code === 'in')).toEqual(['in'])
  })
})

const ticket = async () => ticketOf(await post('', { email, password }))
const show = (given: string, token: string, who = email) =>
  post('/mfa/auth', { email: who, ticket: given, token })

describe('a ticket', () => {
  test('stands in for the password with a code, for five minutes, and signs in once', async () => {
    const seed = await giveSecondFactor(controller.store, userId)
    const given = await ticket()
    const names = await namesIn(controller.redis, 'temblor:mfa-ticket:*')
    const lives = await Promise.all(names.map((name) => controller.redis.pttl(name)))
    expect(Math.max(...lives)).toBeLessThanOrEqual(300_000)
    expect(names.join()).not.toContain(given)
    expect(codes([await show(given, '000000')])).toEqual(['invalid_credentials'])
    expect(codes([await show(given, '')])).toEqual(['invalid_credentials'])
    expect(codes([await show(given, codeOf(seed))])).toEqual(['in'])
    expect(codes([await show(given, codeOf(seed, 1))])).toEqual(['invalid_credentials'])
  })

  test('is good for nothing else, and for nobody else', async () => {
    const seed = await giveSecondFactor(controller.store, userId)
    const bob = newEmail('bob')
    const bobs = await giveSecondFactor(
      controller.store,
      await controller.add(company.id, { email: bob }),
    )
    const given = await ticket()
    for (const authorization of [`Bearer ${given}`, `Key ${given}`, given]) {
      const headers = { authorization }
      for (const path of ['/users/self', '/attacks', '/users/auth/mfa/info']) {
        const answer = await request(controller.baseUrl, 'GET', `/v1${path}`, { headers })
        expect(problem(answer)).toEqual({ status: 401, code: 'unauthenticated' })
      }
    }
    expect(codes([await show(given, codeOf(bobs), bob)])).toEqual(['invalid_credentials'])
    const off = { email, ticket: given, token: codeOf(seed) }
    expect(problem(await post('/mfa/disable', off)).status).toBe(400)
    expect(codes([await show(given, codeOf(seed))])).toEqual(['in'])
  })

  test('ends with the password, the second factor and the access that it was given for', async () => {
    const { members, mfa, users } = controller.store
    let seed = await giveSecondFactor(controller.store, userId)
    let given = await ticket()
    const { passwordHash = '' } = (await users.findByEmail(email)) ?? {}
    await users.setPasswordHash(userId, passwordHash)
    expect(codes([await show(given, codeOf(seed))])).toEqual(['invalid_credentials'])
    given = await ticket()
    await mfa.remove(userId)
    seed = await giveSecondFactor(controller.store, userId)
    expect(codes([await show(given, codeOf(seed))])).toEqual(['invalid_credentials'])
    given = await ticket()
    for (const state of ['REVOKED', 'ACTIVE'] as const) {
      const sinceMs = Date.now()
      await members.change(company.id, userId, (now) => ({ ...now, state, sinceMs }))
      expect(codes([await show(given, codeOf(seed))])).toEqual(['invalid_credentials'])
    }
    expect(codes([await show(await ticket(), codeOf(seed))])).toEqual(['in'])
  })
})
