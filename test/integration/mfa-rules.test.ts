import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recoveryCodesIn, type MfaSecret } from '../../shared/api/mfa.ts'
import { newSeed } from '../../controller/auth/totp.ts'
import type { CompanyRole } from '../../shared/roles.ts'
import type { Api } from '../support/api.ts'
import { request, type Answer } from '../support/http.ts'
import {
  newEmail,
  personsPassword as password,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { codeOf, firstSession, forgetTries, giveSecondFactor, outcome } from '../support/mfa.ts'
import { problem } from '../support/problem.ts'
import { quickestMs, takeAsLong } from '../support/quickest.ts'
import { until } from '../support/until.ts'

let controller: TestController
let company: { id: string; name: string }
let email: string
let userId: string

beforeAll(async () => {
  controller = await startTestController()
})
beforeEach(async () => {
  await forgetTries(controller.redis)
  company = await controller.store.companies.addCompany(newEmail('company'))
  email = newEmail('ann')
  userId = await controller.add(company.id, { email })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const post = (path: string, form: Record<string, string>) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth${path}`, { form })
const signIn = (more: Record<string, string> = {}) => post('', { email, password, ...more })
const first = (answer: Answer) => firstSession(controller.baseUrl, answer)
const statusOf = async (api: Api) => (await api.send('GET', '/users/self')).status
const ticketOf = (answer: Answer) =>
  (answer.json as { error: { details: { ticket: string } } }).error.details.ticket
const someone = (name: string, roles: readonly CompanyRole[]) =>
  controller.join(company, { email: newEmail(name), roles })

const renew = ({ session }: Api) =>
  request(controller.baseUrl, 'POST', '/v1/users/renew/rbac', {
    form: { email, companyId: company.id, renewToken: session.renew_token },
  })

/** An answer without what differs from one request to the next. */
function stable(answer: Answer): unknown {
  const { error } = answer.json as { error: Record<string, unknown> }
  return { status: answer.status, ...error, requestId: 'any', names: [...answer.headers.keys()] }
}
const tryPassword = (who: string) =>
  post('/mfa/auth', { email: who, password: 'wrong', token: '123456' })

describe('where the company asks for a second factor', () => {
  let earlier: Api
  let owner: Api
  beforeEach(async () => {
    earlier = first(await signIn())
    owner = await someone('owner', ['COMPANY_OWNER'])
    const path = `/companies/${company.id}/auth/prefs`
    await owner.send('POST', path, { json: { mfaRequired: true } })
  })

  test('a session of before goes on and is not renewed; one with a code is', async () => {
    expect(await statusOf(earlier)).toBe(200)
    expect(problem(await renew(earlier)).code).toBe('unauthenticated')
    const seed = await giveSecondFactor(controller.store, userId)
    const session = first(await post('/mfa/auth', { email, password, token: codeOf(seed) }))
    expect((await renew(session)).status).toBe(200)
  })

  test('who has none sets one up with the ticket, and then signs in with it, once', async () => {
    const refused = await signIn()
    expect(problem(refused)).toEqual({ status: 401, code: 'mfa_enrolment_required' })
    const ticket = ticketOf(refused)
    // Until there is a second factor, the ticket opens nothing.
    expect(outcome(await post('/mfa/auth', { email, ticket }))).toBe('invalid_credentials')
    const { secretKey } = (await post('/mfa/enable', { email, ticket })).json as MfaSecret
    expect(outcome(await post('/mfa/auth', { email, ticket, token: codeOf(secretKey) }))).toBe(
      'invalid_credentials',
    )
    const form = { email, ticket, token: codeOf(secretKey) }
    expect(outcome(await post('/mfa/validate', { ...form, token: '000000' }))).toBe(
      'invalid_credentials',
    )
    const validated = await post('/mfa/validate', form)
    expect(recoveryCodesIn(validated.text).length).toBe(10)
    expect(outcome(await signIn())).toBe('mfa_required')
    await forgetTries(controller.redis)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('/mfa/auth', { email, ticket })),
    )
    const opened = answers.filter((answer) => answer.status === 200)
    expect(opened.length).toBe(1)
    expect(await statusOf(first(opened[0] as Answer))).toBe(200)
    await forgetTries(controller.redis)
    expect(outcome(await post('/mfa/auth', { email, ticket }))).toBe('invalid_credentials')
    const again = { email, password, token: codeOf(secretKey, 1) }
    expect(outcome(await post('/mfa/auth', again))).toBe('in')
  })

  test('existing clients switch that on and off with a form', async () => {
    const path = `/companies/${company.id}/mfaPrefs`
    const forms = [
      ['False', 'in'],
      ['True', 'mfa_enrolment_required'],
    ] as const
    for (const [forceMfa, expected] of forms) {
      expect((await owner.send('POST', path, { form: { forceMfa } })).status).toBe(200)
      expect(outcome(await signIn())).toBe(expected)
    }
  })

  test('a ticket of somebody else enrols nobody', async () => {
    const ticket = ticketOf(await signIn())
    const bob = newEmail('bob')
    await controller.add(company.id, { email: bob })
    expect(outcome(await post('/mfa/enable', { email: bob, ticket }))).toBe('invalid_credentials')
    const { secretKey } = (await post('/mfa/enable', { email: bob, password })).json as MfaSecret
    const form = { email: bob, ticket, token: codeOf(secretKey) }
    expect(outcome(await post('/mfa/validate', form))).toBe('invalid_credentials')
    expect(outcome(await post('/mfa/enable', { email, ticket }))).toBe('in')
  })

  test('it holds for the whole sign-in when one of several companies asks', async () => {
    const other = await controller.store.companies.addCompany(newEmail('other'))
    await controller.add(other.id, { email })
    expect(outcome(await signIn())).toBe('mfa_enrolment_required')
    expect(outcome(await signIn({ companyName: company.name }))).toBe('mfa_enrolment_required')
    expect(outcome(await signIn({ companyName: other.name }))).toBe('in')
  })
})

test('where passwords are off, neither a code nor the end of an enrolment lets anybody in', async () => {
  const { authPreferences, mfa } = controller.store
  const seed = newSeed()
  await mfa.propose(userId, seed, 0)
  const allow = (passwordEnabled: boolean) =>
    authPreferences.change(company.id, (now) => ({ ...now, passwordEnabled }))
  const validate = () => post('/mfa/validate', { email, token: codeOf(seed) })
  const withCode = () => post('/mfa/auth', { email, password, token: codeOf(seed, 1) })
  await allow(false)
  expect(outcome(await post('/mfa/enable', { email, password }))).toBe('invalid_credentials')
  expect(outcome(await validate())).toBe('invalid_credentials')
  await allow(true)
  expect(outcome(await validate())).toBe('in')
  await allow(false)
  expect(outcome(await withCode())).toBe('invalid_credentials')
  expect(outcome(await post('/mfa/disable', { email, password, token: codeOf(seed, 1) }))).toBe(
    'invalid_credentials',
  )
  await allow(true)
  expect(outcome(await withCode())).toBe('in')
})

test('the audit is told what the answer does not tell, and no code', async () => {
  const seed = await giveSecondFactor(controller.store, userId)
  const form = { email, password, token: '000000' }
  for (const path of ['/mfa/auth', '/mfa/disable', '/mfa/validate'])
    expect(outcome(await post(path, form))).toBe('invalid_credentials')
  await signIn()
  const token = codeOf(seed)
  expect(outcome(await post('/mfa/auth', { email, password, token }))).toBe('in')
  const expected = [
    'mfa.disable refused wrong_code',
    'mfa.enrol refused no_enrolment',
    'session.login ok null',
    'session.login refused mfa_required',
    'session.login refused wrong_code',
  ]
  // Refusals of who is not signed in are written once the answer has left.
  const entries = await until('the audit has them', async () => {
    const all = await controller.store.audit.read(company.id, { from: 1, to: 100 })
    return all.length >= expected.length && all
  })
  const told = entries.map((one) => `${one.action} ${one.result} ${one.code}`)
  expect(told.toSorted()).toEqual(expected)
  for (const secret of [seed, token, password])
    expect(JSON.stringify(entries)).not.toContain(secret)
})

describe('wrong tries', () => {
  test('count together, whatever they try; sessions go on', async () => {
    const session = first(await signIn())
    const seed = await giveSecondFactor(controller.store, userId)
    const other = newEmail('bob')
    const others = await giveSecondFactor(
      controller.store,
      await controller.add(company.id, { email: other }),
    )
    const tries = [
      () => signIn({ password: 'wrong' }),
      () => post('/mfa/auth', { email: email.toUpperCase(), password, token: '000000' }),
      () => post('/mfa/validate', { email: ` ${email}`, token: '000000' }),
      () => post('/mfa/disable', { email, password, token: '000000' }),
      () => post('/mfa/enable', { email, password: 'wrong' }),
    ]
    for (const attempt of tries) {
      // The half of a sign-in is neither right nor wrong: it clears nothing.
      expect(outcome(await signIn())).toBe('mfa_required')
      expect(outcome(await attempt())).toBe('invalid_credentials')
    }
    const token = codeOf(seed)
    for (const path of ['/mfa/auth', '/mfa/disable', '/mfa/validate', '/mfa/enable', ''])
      expect(problem(await post(path, { email, password, token }))).toEqual({
        status: 429,
        code: 'locked_out',
      })
    expect(await statusOf(session)).toBe(200)
    const form = { email: other, password, token: codeOf(others) }
    expect(outcome(await post('/mfa/auth', form))).toBe('in')
  })

  test('in parallel are five', async () => {
    await giveSecondFactor(controller.store, userId)
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        post('/mfa/auth', { email, password, token: String(100_000 + index) }),
      ),
    )
    const checked = answers.filter((answer) => outcome(answer) === 'invalid_credentials')
    expect(checked.length).toBe(5)
  })

  test('say nothing of what was wrong: status, text, headers are alike', async () => {
    const seed = await giveSecondFactor(controller.store, userId)
    const plain = newEmail('plain')
    await controller.add(company.id, { email: plain })
    const gone = newEmail('gone')
    const goneId = await controller.add(company.id, { email: gone })
    const gones = await giveSecondFactor(controller.store, goneId)
    await controller.store.members.change(company.id, goneId, (now) => ({
      ...now,
      state: 'REVOKED',
    }))
    const token = codeOf(seed)
    const cases: Record<string, string>[] = [
      { email, password: 'wrong', token },
      { email, password, token: '000000' },
      { email, password, token, companyName: 'Nowhere' },
      { email: newEmail('nobody'), password, token },
      { email: plain, password, token },
      { email: gone, password, token: codeOf(gones) },
    ]
    for (const path of ['/mfa/auth', '/mfa/disable']) {
      const seen = new Set<string>()
      for (const form of cases) {
        if (path === '/mfa/disable' && form['companyName']) continue
        seen.add(JSON.stringify(stable(await post(path, form))))
      }
      expect(seen.size).toBe(1)
      await forgetTries(controller.redis)
    }
    const seen = new Set<string>()
    for (const who of [email, plain, gone, newEmail('nobody')])
      seen.add(JSON.stringify(stable(await post('/mfa/validate', { email: who, token: '123456' }))))
    expect(seen.size).toBe(1)
    expect(outcome(await post('/mfa/auth', { email, password, token }))).toBe('in')
  })

  test('of an unknown user take as long', async () => {
    await giveSecondFactor(controller.store, userId)
    const ways = { known: () => tryPassword(email), unknown: () => tryPassword(newEmail('nobody')) }
    const alike = (best: Record<keyof typeof ways, number>) => takeAsLong(best.unknown, best.known)
    const best = await quickestMs(ways, alike, () => forgetTries(controller.redis))
    expect(best).toSatisfy(alike)
  })
})
