import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Company, Team } from '../../controller/store/companies.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { request, type Answer } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addRenewer, noSession, type Renewer } from '../support/renewal.ts'
import { until } from '../support/until.ts'

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

const text = (answer: Answer) => (answer.json as { error: { message: string } }).error.message
const prefer = (change: object) =>
  controller.store.authPreferences.change(company.id, (now) => ({ ...now, ...change }))

const setState = async (state: 'ACTIVE' | 'REVOKED') => {
  const user = await controller.store.users.findByEmail(email)
  const sinceMs = Date.now()
  await controller.store.members.change(company.id, user?.id ?? '', (now) => ({
    ...now,
    state,
    ...(state === 'ACTIVE' ? { sinceMs } : {}),
  }))
}

describe('what does not fit together changes nothing', () => {
  test.each<[string, string, (session: Session) => Record<string, string>]>([
    ['another email', '/users/renew/rbac', () => ({ email: 'bob@example.com' })],
    ['another company', '/users/renew/rbac', () => ({ companyId: randomUUID() })],
    ['another team', '/users/renew/rbac', () => ({ teamId: randomUUID() })],
    ['another organisation', '/users/renew', ({ company_id: orgId }) => ({ orgId })],
    ['an unknown renew token', '/users/renew', () => ({ renewToken: randomUUID() })],
    ['no token at all', '/users/renew', () => ({ renewToken: 'x' })],
    ['the bearer token', '/users/renew', ({ token }) => ({ renewToken: token })],
    ['the header', '/users/renew', ({ header }) => ({ renewToken: header })],
  ])('%s', async (_, path, wrong) => {
    const session = await ann.signIn()
    const refused = await ann.renew(session, wrong(session), { path })
    expect(problem(refused)).toEqual(noSession)
    const unknown = await ann.renew(session, {
      renewToken: randomUUID(),
      email: newEmail('nobody'),
    })
    expect(text(refused)).toBe(text(unknown))
    expect(await ann.statusOf(session)).toBe(200)
    expect((await ann.renew(session, { email: ` ${email.toUpperCase()} ` }, { path })).status).toBe(
      200,
    )
  })

  test.each(['email', 'companyId', 'renewToken'])('%s must be there', async (field) => {
    const session = await ann.signIn()
    const answer = await ann.renew(session, { [field]: '' })
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
    expect(answer.text).toContain(field)
    expect((await ann.renew(session)).status).toBe(200)
  })

  test('nothing is read from the path', async () => {
    const { renew_token: renewToken, company_id: companyId, token } = await ann.signIn()
    const query = new URLSearchParams({ email, companyId, renewToken, token, access_token: token })
    for (const method of ['GET', 'POST']) {
      const path = `/v1/users/renew/rbac?${query.toString()}`
      expect(problem(await request(controller.baseUrl, method, path)).status).toBe(400)
    }
    const self = `/v1/users/self?${query.toString()}&authorization=Bearer%20${token}`
    expect(problem(await request(controller.baseUrl, 'GET', self))).toEqual(noSession)
    const header = { headers: { authorization: `Bearer ${token}` } }
    expect((await request(controller.baseUrl, 'GET', self, header)).status).toBe(200)
  })

  test('a renew token is no bearer', async () => {
    const session = await ann.signIn()
    const asBearer = { ...session, header: `Bearer ${session.renew_token}` }
    expect(problem(await ann.api(asBearer).send('GET', '/users/self'))).toEqual(noSession)
    expect(await ann.statusOf(session)).toBe(200)
    expect((await ann.renew(session)).status).toBe(200)
  })

  test('wrong ones lock nobody out, and a lock-out holds up no renewal', async () => {
    const session = await ann.signIn()
    for (let n = 0; n < 8; n += 1) await ann.renew(session, { renewToken: randomUUID() })
    const wrong = { form: { email, password: 'wrong' } }
    for (let n = 0; n < 5; n += 1) {
      const answer = await request(controller.baseUrl, 'POST', '/v1/users/auth', wrong)
      expect(problem(answer).code).toBe('invalid_credentials')
    }
    const locked = await request(controller.baseUrl, 'POST', '/v1/users/auth', wrong)
    expect(problem(locked).code).toBe('locked_out')
    expect(await ann.statusOf(await ann.renewed(session))).toBe(200)
  })
})

describe('everything that a sign-in looks at is looked at again', () => {
  test('a company without renewal refuses it, and takes it up again', async () => {
    const session = await ann.signIn()
    await prefer({ allowSessionRenewal: false })
    expect(problem(await ann.renew(session))).toEqual(noSession)
    expect(await ann.statusOf(session)).toBe(200)
    await prefer({ allowSessionRenewal: true })
    expect((await ann.renew(session)).status).toBe(200)
  })

  test('sessions of a method that is off end at their renewal, for good', async () => {
    const session = await ann.signIn()
    await prefer({ passwordEnabled: false })
    expect(await ann.statusOf(session)).toBe(200)
    expect(problem(await ann.renew(session))).toEqual(noSession)
    expect(await ann.statusOf(session)).toBe(401)
    await prefer({ passwordEnabled: true })
    expect(problem(await ann.renew(session))).toEqual(noSession)
    expect((await ann.renew(await ann.signIn())).status).toBe(200)
  })

  test.each<[string, (session: Session) => Promise<unknown>, () => Promise<unknown>]>([
    ['signed out', (session) => ann.api(session).send('DELETE', '/users/auth'), async () => {}],
    ['was revoked', () => setState('REVOKED'), () => setState('ACTIVE')],
    [
      'was revoked and came back',
      async () => {
        await setState('REVOKED')
        await setState('ACTIVE')
      },
      async () => {},
    ],
    [
      'left the team',
      () => controller.add(company.id, { email, teams: {} }),
      () => controller.add(company.id, { email, teams: { [team.id]: ['TEAM_USER'] } }),
    ],
    [
      'has another password',
      async () => {
        const user = await controller.store.users.findByEmail(email)
        await controller.store.users.setPasswordHash(user?.id ?? '', user?.passwordHash ?? '')
      },
      async () => {},
    ],
  ])('who %s renews nothing, and signs in anew', async (_, leave, comeBack) => {
    const session = await ann.signIn()
    expect(await ann.statusOf(session)).toBe(200)
    await leave(session)
    expect(problem(await ann.renew(session))).toEqual(noSession)
    await comeBack()
    expect(problem(await ann.renew(session))).toEqual(noSession)
    expect((await ann.renew(await ann.signIn())).status).toBe(200)
  })

  test('who changes the password goes on with this session, and renews it', async () => {
    const [here, there] = [await ann.signIn(), await ann.signIn()]
    const form = { currentPassword: personsPassword, newPassword: 'a password of some length' }
    expect((await ann.api(here).send('PUT', '/users/auth/password', { form })).status).toBe(200)
    expect(problem(await ann.renew(there))).toEqual(noSession)
    expect(await ann.statusOf(await ann.renewed(here))).toBe(200)
  })
})

describe('time', () => {
  test('a token that has expired is renewed, and the end of the session is never moved', async () => {
    const times = { TEMBLOR_SESSION_SECONDS: '1', TEMBLOR_RENEWAL_SECONDS: '4' }
    await using short = await controller.further(times)
    const { baseUrl } = short
    const signedIn = Date.now()
    const first = await ann.signIn('', baseUrl)
    const signedInBy = Date.now()
    await until('it has expired', async () => (await ann.statusOf(first)) === 401)
    // By the controller whose tokens last, so that it has not expired again before it is shown.
    let session = await ann.renewed(first)
    expect(await ann.statusOf(session)).toBe(200)
    const last = await until('it is over', async () => {
      const answer = await ann.renew(session, {}, { baseUrl })
      if (answer.status !== 200) return { answer, at: Date.now() }
      session = answer.json as Session
      expect(Date.parse(session.expires_at)).toBeLessThanOrEqual(signedInBy + 4_000)
      return undefined
    })
    expect(problem(last.answer)).toEqual(noSession)
    expect(last.at - signedIn).toBeGreaterThanOrEqual(4_000)
    expect(await ann.statusOf(session)).toBe(401)
  })
})
