import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recoveryCodesIn, type MfaSecret } from '../../shared/api/mfa.ts'
import { sessionsOf, type Session } from '../../shared/api/sessions.ts'
import type { CompanyRole } from '../../shared/roles.ts'
import { apiOf, type Api } from '../support/api.ts'
import { request, type Answer } from '../support/http.ts'
import {
  newEmail,
  personsPassword as password,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { codeOf, giveSecondFactor } from '../support/mfa.ts'
import { problem } from '../support/problem.ts'

let controller: TestController
let company: { id: string; name: string }
let email: string
let userId: string

beforeAll(async () => {
  controller = await startTestController()
})
beforeEach(async () => {
  await forgetTries()
  company = await controller.store.companies.addCompany(newEmail('company'))
  email = newEmail('ann')
  userId = await controller.add(company.id, { email })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

/** All requests come from one address, which makes more wrong tries here than any person would. */
async function forgetTries(): Promise<void> {
  const names = await controller.redis.keys('temblor:attempts:*')
  if (names.length > 0) await controller.redis.del(...names)
}

const post = (path: string, form: Record<string, string>) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth${path}`, { form })
const signIn = (more: Record<string, string> = {}) => post('', { email, password, ...more })
const first = (answer: Answer) =>
  apiOf(controller.baseUrl, sessionsOf(answer.json as Session[])[0] as Session)
const statusOf = async (api: Api) => (await api.send('GET', '/users/self')).status
const code = (answer: Answer) => (answer.status === 200 ? 'in' : problem(answer).code)
const ticketOf = (answer: Answer) =>
  (answer.json as { error: { details: { ticket: string } } }).error.details.ticket
const someone = (name: string, roles: readonly CompanyRole[]) =>
  controller.join(company, { email: newEmail(name), roles })

const median = (all: number[]) => all.toSorted((a, b) => a - b)[10] as number
const force = (api: Api, who: string) =>
  api.send('POST', '/users/auth/mfa/forceDisable', { form: { email: who } })

const renew = ({ session }: Api) =>
  request(controller.baseUrl, 'POST', '/v1/users/renew/rbac', {
    form: { email, companyId: company.id, renewToken: session.renew_token },
  })

/** An answer without what differs from one request to the next. */
function stable(answer: Answer): unknown {
  const { error } = answer.json as { error: Record<string, unknown> }
  return { status: answer.status, ...error, requestId: 'any', names: [...answer.headers.keys()] }
}

describe('where the company asks for a second factor', () => {
  let earlier: Api
  beforeEach(async () => {
    earlier = first(await signIn())
    const owner = await someone('owner', ['COMPANY_OWNER'])
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
    expect(code(await post('/mfa/auth', { email, ticket }))).toBe('invalid_credentials')
    const { secretKey } = (await post('/mfa/enable', { email, ticket })).json as MfaSecret
    expect(code(await post('/mfa/auth', { email, ticket, token: codeOf(secretKey) }))).toBe(
      'invalid_credentials',
    )
    const form = { email, ticket, token: codeOf(secretKey) }
    expect(code(await post('/mfa/validate', { ...form, token: '000000' }))).toBe(
      'invalid_credentials',
    )
    const validated = await post('/mfa/validate', form)
    expect(recoveryCodesIn(validated.text).length).toBe(10)
    expect(code(await signIn())).toBe('mfa_required')
    await forgetTries()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('/mfa/auth', { email, ticket })),
    )
    const opened = answers.filter((answer) => answer.status === 200)
    expect(opened.length).toBe(1)
    expect(await statusOf(first(opened[0] as Answer))).toBe(200)
    await forgetTries()
    expect(code(await post('/mfa/auth', { email, ticket }))).toBe('invalid_credentials')
    const again = { email, password, token: codeOf(secretKey, 1) }
    expect(code(await post('/mfa/auth', again))).toBe('in')
  })

  test('a ticket of somebody else enrols nobody', async () => {
    const ticket = ticketOf(await signIn())
    const bob = newEmail('bob')
    await controller.add(company.id, { email: bob })
    expect(code(await post('/mfa/enable', { email: bob, ticket }))).toBe('invalid_credentials')
    const { secretKey } = (await post('/mfa/enable', { email: bob, password })).json as MfaSecret
    const form = { email: bob, ticket, token: codeOf(secretKey) }
    expect(code(await post('/mfa/validate', form))).toBe('invalid_credentials')
    expect(code(await post('/mfa/enable', { email, ticket }))).toBe('in')
  })

  test('it holds for the whole sign-in when one of several companies asks', async () => {
    const other = await controller.store.companies.addCompany(newEmail('other'))
    await controller.add(other.id, { email })
    expect(code(await signIn())).toBe('mfa_enrolment_required')
    expect(code(await signIn({ companyName: company.name }))).toBe('mfa_enrolment_required')
    expect(code(await signIn({ companyName: other.name }))).toBe('in')
  })
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
      expect(code(await signIn())).toBe('mfa_required')
      expect(code(await attempt())).toBe('invalid_credentials')
    }
    const token = codeOf(seed)
    for (const path of ['/mfa/auth', '/mfa/disable', '/mfa/validate', '/mfa/enable', ''])
      expect(problem(await post(path, { email, password, token }))).toEqual({
        status: 429,
        code: 'locked_out',
      })
    expect(await statusOf(session)).toBe(200)
    const form = { email: other, password, token: codeOf(others) }
    expect(code(await post('/mfa/auth', form))).toBe('in')
  })

  test('in parallel are five', async () => {
    await giveSecondFactor(controller.store, userId)
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        post('/mfa/auth', { email, password, token: String(100_000 + index) }),
      ),
    )
    const checked = answers.filter((answer) => code(answer) === 'invalid_credentials')
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
      await forgetTries()
    }
    const seen = new Set<string>()
    for (const who of [email, plain, gone, newEmail('nobody')])
      seen.add(JSON.stringify(stable(await post('/mfa/validate', { email: who, token: '123456' }))))
    expect(seen.size).toBe(1)
    expect(code(await post('/mfa/auth', { email, password, token }))).toBe('in')
  })

  test('of an unknown user take as long', async () => {
    await giveSecondFactor(controller.store, userId)
    const times = { known: [] as number[], unknown: [] as number[] }
    for (let round = 0; round < 21; round += 1) {
      for (const kind of ['known', 'unknown'] as const) {
        const who = kind === 'known' ? email : newEmail('nobody')
        const began = performance.now()
        await post('/mfa/auth', { email: who, password: 'wrong', token: '123456' })
        times[kind].push(performance.now() - began)
      }
      await forgetTries()
    }
    const ratio = median(times.unknown) / median(times.known)
    expect(ratio).toBeGreaterThan(0.6)
    expect(ratio).toBeLessThan(1.6)
  })
})

describe('switching it off', () => {
  test('takes the password and a code, and ends every session', async () => {
    const session = first(await signIn())
    const seed = await giveSecondFactor(controller.store, userId)
    const token = codeOf(seed)
    const headers = { authorization: session.session.header }
    const disable = (form: Record<string, string>) =>
      request(controller.baseUrl, 'POST', '/v1/users/auth/mfa/disable', { form, headers })
    expect(problem(await disable({ email, token })).status).toBe(400)
    expect(problem(await disable({ email, password })).status).toBe(400)
    expect(problem(await disable({ email, password: '', token })).status).toBe(400)
    expect(code(await disable({ email, password, token: '000000' }))).toBe('invalid_credentials')
    expect(await statusOf(session)).toBe(200)
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => disable({ email, password, token })),
    )
    expect(answers.filter((answer) => answer.text === 'Success').length).toBe(1)
    expect(await statusOf(session)).toBe(401)
    expect(code(await signIn())).toBe('in')
    await forgetTries()
    expect(code(await post('/mfa/auth', { email, password, token: codeOf(seed, 1) }))).toBe(
      'invalid_credentials',
    )
  })

  test('for somebody else: admins for whoever holds no more than they, not for themselves', async () => {
    const isOn = async (id: string) => await controller.store.mfa.isOn(id)
    const session = first(await signIn())
    await giveSecondFactor(controller.store, userId)
    const ownersEmail = newEmail('owner')
    const ownerId = await controller.add(company.id, {
      email: ownersEmail,
      roles: ['COMPANY_OWNER'],
    })
    await giveSecondFactor(controller.store, ownerId)
    const admin = await someone('admin', ['COMPANY_ADMIN'])
    const manager = await someone('manager', ['COMPANY_MANAGER'])
    const owner = await someone('boss', ['COMPANY_OWNER'])

    expect(problem(await force(manager, email)).code).toBe('forbidden')
    expect(problem(await force(admin, ownersEmail)).code).toBe('forbidden')
    expect(problem(await force(admin, admin.session.identifier)).code).toBe('forbidden')
    expect(problem(await force(admin, newEmail('nobody'))).code).toBe('user_not_found')
    expect([await isOn(userId), await isOn(ownerId), await statusOf(session)]).toEqual([
      true,
      true,
      200,
    ])
    expect(await force(admin, email)).toMatchObject({ status: 200, text: 'Success' })
    expect([await isOn(userId), await statusOf(session)]).toEqual([false, 401])
    expect((await force(owner, ownersEmail)).status).toBe(200)
    expect(await isOn(ownerId)).toBe(false)
  })

  test('for somebody who holds more in another company takes somebody there', async () => {
    const admin = await someone('admin', ['COMPANY_ADMIN'])
    const other = await controller.store.companies.addCompany(newEmail('other'))
    await controller.add(other.id, { email, roles: ['COMPANY_OWNER'] })
    await giveSecondFactor(controller.store, userId)
    expect(problem(await force(admin, email)).code).toBe('forbidden')
    const adminsEmail = admin.session.identifier
    await controller.add(other.id, { email: adminsEmail, roles: ['COMPANY_OWNER'] })
    expect((await force(admin, email)).status).toBe(200)
  })

  test('whether it is on is for owners and admins to see', async () => {
    const admin = await someone('admin', ['COMPANY_ADMIN'])
    const manager = await someone('manager', ['COMPANY_MANAGER'])
    const path = `/users/auth/mfa/${email}/enabled`
    expect((await admin.send('GET', path)).json).toBe(false)
    await giveSecondFactor(controller.store, userId)
    expect((await admin.send('GET', path)).json).toBe(true)
    expect(problem(await manager.send('GET', path)).code).toBe('forbidden')
    const stranger = newEmail('stranger')
    const other = await controller.store.companies.addCompany(newEmail('other'))
    await controller.add(other.id, { email: stranger })
    const strangers = await admin.send('GET', `/users/auth/mfa/${stranger}/enabled`)
    expect(problem(strangers).code).toBe('user_not_found')
  })
})
