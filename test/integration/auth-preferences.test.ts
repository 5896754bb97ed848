import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defaultAuthPreferences, type AuthPreferences } from '../../shared/api/auth-preferences.ts'
import type { ErrorBody } from '../../shared/api/errors.ts'
import type { Session } from '../../shared/api/sessions.ts'
import type { Company } from '../../controller/store/companies.ts'
import { apiOf, type Api } from '../support/api.ts'
import { request, type Answer } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

let controller: TestController
let company: Company
let email: string
let admin: Api

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())
beforeEach(async () => {
  company = await controller.store.companies.addCompany(newEmail('Company'))
  email = newEmail('admin')
  admin = await controller.join(company, { email, roles: ['COMPANY_ADMIN'] })
})

const stored = () => controller.store.authPreferences.read(company.id)
const set = (json: unknown, api = admin) =>
  api.send('POST', `/companies/${company.id}/auth/prefs`, { json })
const setMfa = (form: Record<string, string>) =>
  admin.send('POST', `/companies/${company.id}/mfaPrefs`, { form })
const ok = { status: 200, text: 'Success' }
const errorOf = (answer: Answer) => (answer.json as ErrorBody).error
/** Without the checks of the route: as it will be once there is another method. */
const put = (change: Partial<AuthPreferences>) =>
  controller.store.authPreferences.change(company.id, (now) => ({ ...now, ...change }))
const signIn = (query = '', password = personsPassword) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth${query}`, { form: { email, password } })

const companiesSignedInto = async () =>
  ((await signIn()).json as Session[]).map((session) => session.company_id).toSorted()
const makeKey = (more: Record<string, unknown> = {}) =>
  admin.send('POST', '/apikeys', { json: { identifier: 'ci', ...more } })
const selfWith = (key: string) =>
  apiOf(controller.baseUrl, { ...admin.session, header: `Key ${key}` }).send('GET', '/users/self')
const within = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const expire = (query: string) => admin.send('PUT', `/apikeys/ci/expiration${query}`)
const minutesOfSession = async () => {
  const [session] = (await signIn()).json as Session[]
  return Math.round((Date.parse(session?.expires_at ?? '') - Date.now()) / 60_000)
}

describe('changing preferences', () => {
  test('what is not passed, or null, stays', async () => {
    expect(await stored()).toEqual(defaultAuthPreferences)
    expect(await set({ sessionDuration: 30, allowSessionRenewal: false })).toMatchObject(ok)
    expect(await set({ apiKeysEnabled: false, sessionDuration: null })).toMatchObject(ok)
    expect(await set({})).toMatchObject(ok)
    expect(await stored()).toEqual({
      ...defaultAuthPreferences,
      sessionDuration: 30,
      allowSessionRenewal: false,
      apiKeysEnabled: false,
    })
  })

  test('what existing clients send is understood: six fields, a form, keys nobody knows', async () => {
    const six = {
      passwordEnabled: true,
      mfaRequired: false,
      googleEnabled: false,
      oauthEnabled: false,
      samlEnabled: false,
      claimsRequired: false,
    }
    expect(await set({ ...six, constructor: 5, somethingElse: [1] })).toMatchObject(ok)
    const more = { mfaProviders: 'x', defaultMfaProvider: 'x' }
    for (const forceMfa of ['False', 'false', '']) {
      const form = { forceMfa, ...more }
      expect(await setMfa(form)).toMatchObject(ok)
    }
    expect(await stored()).toEqual(defaultAuthPreferences)
  })

  test('changes at once lose none of each other', async () => {
    const changes = [
      { sessionDuration: 60 },
      { allowSessionRenewal: false },
      { apiKeysEnabled: false },
      { apiKeysMaxSecondsToExpireEnabled: true },
      { apiKeysMaxSecondsToExpire: 3600 },
    ]
    const answers = await Promise.all(changes.map((change) => set(change)))
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200))
    expect(await stored()).toEqual(Object.assign({}, defaultAuthPreferences, ...changes))
  })

  test.each([
    ['sessionDuration', 4],
    ['sessionDuration', 721],
    ['sessionDuration', 5.5],
    ['sessionDuration', '60'],
    ['passwordEnabled', 'true'],
    ['apiKeysMaxSecondsToExpire', 59],
  ])('%s cannot be %j', async (field, value) => {
    const answer = await set({ allowSessionRenewal: false, [field]: value })
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
    expect(errorOf(answer).details).toMatchObject({ field, value: JSON.stringify(value) })
    expect(await stored()).toEqual(defaultAuthPreferences)
  })

  test.each(['googleEnabled', 'oauthEnabled', 'samlEnabled', 'samlForced', 'claimsRequired'])(
    '%s cannot be switched on, for there is nothing behind it',
    async (field) => {
      const answer = await set({ sessionDuration: 5, [field]: true })
      expect(problem(answer)).toEqual({ status: 400, code: 'not_supported' })
      expect(errorOf(answer).details).toMatchObject({ field, value: true })
      expect(await stored()).toEqual(defaultAuthPreferences)
      expect(await set({ sessionDuration: 5, [field]: false })).toMatchObject(ok)
    },
  )

  test('passwords stay while no owner has another way in', async () => {
    const answer = await set({ passwordEnabled: false, sessionDuration: 5 })
    expect(problem(answer)).toEqual({ status: 409, code: 'would_lock_out' })
    expect(errorOf(answer).details).toMatchObject({ field: 'passwordEnabled' })
    expect(await stored()).toEqual(defaultAuthPreferences)
    expect(await set({ passwordEnabled: true })).toMatchObject(ok)
  })

  test('nobody changes those of another company, which is not there for them', async () => {
    const other = await controller.store.companies.addCompany(newEmail('Other'))
    const answer = await admin.send('POST', `/companies/${other.id}/auth/prefs`, {
      json: { apiKeysEnabled: false },
    })
    expect(problem(answer)).toEqual({ status: 404, code: 'company_not_found' })
    expect(await controller.store.authPreferences.read(other.id)).toEqual(defaultAuthPreferences)
  })
})

describe('a company without passwords', () => {
  test.each(['', '?getCompanySession=true'])(
    'refuses sign-ins as it refuses wrong ones %s',
    async (query) => {
      await put({ passwordEnabled: false })
      const refused = await signIn(query)
      expect(problem(refused)).toEqual({ status: 401, code: 'invalid_credentials' })
      const wrong = await signIn(query, 'wrong')
      expect(errorOf(refused).message).toBe(errorOf(wrong).message)
      await put({ passwordEnabled: true })
      expect((await signIn(query)).status).toBe(200)
    },
  )

  test('is left out of the sessions of who belongs to others as well', async () => {
    const other = await controller.store.companies.addCompany(newEmail('Other'))
    await controller.add(other.id, { email })
    expect(await companiesSignedInto()).toEqual([company.id, other.id].toSorted())
    await put({ passwordEnabled: false })
    expect(await companiesSignedInto()).toEqual([other.id])
  })

  test('lets nobody change a password or join with one', async () => {
    const form = { currentPassword: personsPassword, newPassword: 'another long password' }
    const change = () => admin.send('PUT', '/users/auth/password', { form })
    const invited = newEmail('invited')
    const made = await admin.send('POST', '/users/invite', { form: { email: invited } })
    const link = new URL((made.json as { accept_url: string }).accept_url)
    const code = new URLSearchParams(link.hash.slice(1)).get('code')
    const join = () =>
      request(controller.baseUrl, 'POST', `/v1/companies/${company.id}/users`, {
        json: { email: invited, code, password: personsPassword },
      })
    await put({ passwordEnabled: false })
    expect(problem(await change())).toEqual({ status: 403, code: 'method_disabled' })
    expect(problem(await join())).toEqual({ status: 401, code: 'invalid_credentials' })
    await put({ passwordEnabled: true })
    expect(await change()).toMatchObject(ok)
    expect((await join()).status).toBe(200)
  })
})

describe('keys', () => {
  test('are of no use from the next request on while they are off, and of use again', async () => {
    const key = (await makeKey()).text
    expect((await selfWith(key)).status).toBe(200)
    expect(await set({ apiKeysEnabled: false })).toMatchObject(ok)
    expect(problem(await selfWith(key))).toEqual({ status: 401, code: 'unauthenticated' })
    const disabled = { status: 403, code: 'method_disabled' }
    expect(problem(await makeKey())).toEqual(disabled)
    expect(problem(await admin.send('PUT', '/apikeys/ci/activate'))).toEqual(disabled)
    expect(await set({ apiKeysEnabled: true })).toMatchObject(ok)
    expect((await selfWith(key)).status).toBe(200)
    expect((await makeKey()).status).toBe(201)
  })

  test('expire in time where that is limited, when made and when changed', async () => {
    const limit = { apiKeysMaxSecondsToExpireEnabled: true, apiKeysMaxSecondsToExpire: 3600 }
    expect((await makeKey()).status).toBe(201)
    expect((await expire('')).status).toBe(200)
    expect(await set(limit)).toMatchObject(ok)
    for (const answer of [
      await makeKey(),
      await makeKey({ expiresAt: within(3700) }),
      await expire(''),
      await expire(`?expiresAt=${within(3700)}`),
    ]) {
      expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
      expect(errorOf(answer).details).toMatchObject({ field: 'expiresAt' })
    }
    expect((await makeKey({ expiresAt: within(3500) })).status).toBe(201)
    expect((await expire(`?expiresAt=${within(3500)}`)).status).toBe(200)
    await set({ apiKeysMaxSecondsToExpireEnabled: false })
    expect((await makeKey()).status).toBe(201)
  })
})

test('the length of a session counts where sessions are not renewed', async () => {
  expect(await minutesOfSession()).toBe(720)
  await set({ sessionDuration: 30 })
  expect(await minutesOfSession()).toBe(720)
  await set({ allowSessionRenewal: false })
  expect(await minutesOfSession()).toBe(30)
  await set({ sessionDuration: 720 })
  expect(await minutesOfSession()).toBe(720)
})
