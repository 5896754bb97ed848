import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Company } from '../../shared/api/companies.ts'
import type { Session } from '../../shared/api/sessions.ts'
import type { SsoTest } from '../../shared/api/sso.ts'
import { request, type Answer } from '../support/http.ts'
import {
  newEmail,
  startTestController,
  type FurtherController,
  type TestController,
} from '../support/in-process.ts'
import { addOAuthCompany, addressesOf, type OAuthCompany } from '../support/oauth-company.ts'
import { refusedBy } from '../support/oauth-refusals.ts'
import { oidcClient, startOidcProvider, type TestProvider } from '../support/oidc-provider.ts'
import { problem } from '../support/problem.ts'

/** A provider that anybody may have an account at: who comes in, and who does not. */

/** Where the service is said to be, so that the provider can know it before it is there. */
const site = 'http://127.0.0.1:9'
const google = { provider: 'google' }

let without: TestController
let further: FurtherController
let controller: TestController
let provider: TestProvider
let one: OAuthCompany

beforeAll(async () => {
  without = await startTestController()
  provider = await startOidcProvider({ redirectUris: [`${site}/v1/oauth/callback`] })
  further = await without.further({
    TEMBLOR_PUBLIC_URL: site,
    TEMBLOR_OIDC_ISSUER: provider.issuer,
    TEMBLOR_OIDC_CLIENT_ID: oidcClient.clientId,
    TEMBLOR_OIDC_CLIENT_SECRET: oidcClient.clientSecret,
  })
  controller = { ...without, baseUrl: further.baseUrl }
  one = await addOAuthCompany(controller, 'One', addressesOf(provider.issuer))
  await prefs({ googleEnabled: true })
})
afterAll(async () => {
  await further?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
  await without?.[Symbol.asyncDispose]()
})

const path = () => `/companies/${one.company.id}`
const prefs = (json: object) => one.admin.send('POST', `${path()}/auth/prefs`, { json })
const claim = (domain: string) => one.admin.send('POST', `${path()}/prefs`, { form: { domain } })
const invite = (email: string, by = one.admin) =>
  by.send('POST', '/users/invite', { form: { email } })
/** The login of somebody whose address is verified. */
function account(email: string, claims: Record<string, unknown> = {}): string {
  provider.people.set(email, { sub: 'x', email, email_verified: true, ...claims })
  return email
}
/** A sign-in by the public provider, from its beginning to the answer of the last step. */
async function enter(login: string): Promise<Answer> {
  const { begun, back } = await one.sent(login, google)
  const answer = await one.comeBack(back, begun.state)
  if (answer.status !== 200) return answer
  return await one.sso((answer.json as { access_token: string }).access_token, google)
}
const refused = (check: string, email: string) =>
  refusedBy(controller, one, check, email, () => enter(email), 'google')

test('a member comes in as what they are, whatever roles the provider claims', async () => {
  const email = account(newEmail('member'), { company_roles: ['COMPANY_OWNER'] })
  await controller.add(one.company.id, { email, roles: ['COMPANY_MANAGER'] })
  expect(await enter(email)).toMatchObject({
    status: 200,
    json: { identifier: email, company_id: one.company.id, roles: ['COMPANY_MANAGER'] },
  })
  expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_MANAGER'], teams: {} })
})

test('somebody who was not invited stays out, until they are, and comes in as what they were invited for', async () => {
  const email = account(newEmail('Invited'))
  await refused('access', email)
  await invite(email)
  expect((await enter(email)).status).toBe(200)
  expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_USER'], teams: {} })
  expect(await controller.store.invitations.find(one.company.id, email)).toBeUndefined()
  expect((await enter(email)).status).toBe(200)
})

test('the invitation of somebody who may invite no more is worth nothing', async () => {
  const manager = await controller.join(one.company, {
    email: newEmail('manager'),
    roles: ['COMPANY_MANAGER'],
  })
  const email = account(newEmail('invited'))
  await invite(email, manager)
  const ofManager = `${path()}/users/${manager.session.identifier}`
  await one.admin.send('PUT', ofManager, { json: { roles: ['COMPANY_USER'] } })
  await refused('access', email)
  await one.admin.send('PUT', ofManager, { json: { roles: ['COMPANY_MANAGER'] } })
  expect((await enter(email)).status).toBe(200)
})

const at = (domain: string) => newEmail('at').replace('example.com', domain)

test('who has an address of a claimed domain comes in with the default role, others do not', async () => {
  const email = account(at('claimed.example'))
  await refused('access', email)
  expect((await claim(' Claimed.example, other.example ')).status).toBe(200)
  const { domains } = await one.admin.get<Company>(path())
  expect(domains).toEqual(['claimed.example', 'other.example'])
  expect(await enter(email)).toMatchObject({ status: 200, json: { roles: ['COMPANY_USER'] } })
  for (const near of ['sub.claimed.example', 'claimed.example.evil.example', 'notclaimed.example'])
    await refused('access', account(at(near)))
  expect((await claim('')).status).toBe(200)
  await refused('access', account(at('claimed.example')))
  expect((await enter(email)).status).toBe(200)
})

test.each([
  'nonsense',
  'a@b.example',
  'https://a.example',
  '*.example',
  'a..b',
  `${'a'.repeat(64)}.b`,
])('the domain %s is none', async (domain) => {
  const answer = await claim(`good.example,${domain}`)
  expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
  expect((await one.admin.get<Company>(path())).domains).toEqual([])
})

test.each([
  ['is not verified', { email_verified: false }],
  ['is not said to be verified', { email_verified: undefined }],
  ['is none', { email: 'nobody', sub: 'member@example.com' }],
])('an address that %s lets nobody in', async (_, claims) => {
  const email = newEmail('member')
  await controller.add(one.company.id, { email })
  account(email, claims)
  const [before, traces] = [await one.placeOf(email), (await one.failures()).length]
  expect(problem(await enter(email))).toEqual({ status: 401, code: 'sso_refused' })
  const failures = await one.failures()
  expect(failures).toHaveLength(traces + 1)
  expect(failures[0]).toMatchObject({ check: 'identity', method: 'google' })
  expect(await one.placeOf(email)).toEqual(before)
  account(email)
  expect((await enter(email)).status).toBe(200)
})

test('who was revoked stays out, invited or of a claimed domain', async () => {
  const email = account(newEmail('revoked'))
  await controller.add(one.company.id, { email })
  await one.admin.send('DELETE', `${path()}/users/${email}/active`)
  await claim('example.com')
  expect(problem(await enter(email))).toMatchObject({ code: 'sso_refused' })
  expect((await one.failures())[0]).toMatchObject({ check: 'access', email })
  await claim('')
})

test('of several at once with one invitation, whoever comes in is one user', async () => {
  const email = account(newEmail('several'))
  await invite(email)
  const tokens: string[] = []
  for (let count = 0; count < 5; count += 1) tokens.push(await one.token(email, google))
  const answers = await Promise.all(tokens.map((token) => one.sso(token, google)))
  const ids = new Set(
    answers.flatMap(({ status, json }) => (status === 200 ? [(json as Session).identifier] : [])),
  )
  expect([...ids]).toEqual([email])
  expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_USER'], teams: {} })
})

test('its access token is none of the own provider of the company', async () => {
  const email = account(newEmail('member'))
  await controller.add(one.company.id, { email })
  const token = await one.token(email, google)
  expect(problem(await one.sso(token, { provider: 'oauth' }))).toMatchObject({ status: 401 })
  expect((await one.sso(token, google)).status).toBe(200)
})

test('a company that requires claims lets nobody in so; nor does one that has it off', async () => {
  const email = account(newEmail('member'))
  await controller.add(one.company.id, { email })
  const token = await one.token(email, google)
  for (const [off, on] of [
    [{ claimsRequired: true }, { claimsRequired: false }],
    [{ googleEnabled: false }, { googleEnabled: true }],
  ] as const) {
    await prefs(off)
    expect(problem(await one.sso(token, google))).toMatchObject({ status: 401 })
    await prefs(on)
  }
  await prefs({ googleEnabled: false })
  await expect(one.begin(google)).rejects.toThrow('sso_refused')
  await prefs({ googleEnabled: true })
  expect((await enter(email)).status).toBe(200)
})

test('a sign-in that only tries it tells what would be, and lets nobody in', async () => {
  const email = account(newEmail('tried'))
  await invite(email)
  const answer = await one.admin.send('POST', `${path()}/sso/tests`, {
    json: { protocol: 'google' },
  })
  const { url, testId } = answer.json as SsoTest
  const { pathname, search } = new URL(url)
  const begun = await request(controller.baseUrl, 'GET', `${pathname}${search}`)
  const [, state = ''] = /oauth_state=([^;]+)/.exec(begun.headers.get('set-cookie') ?? '') ?? []
  const there = new URL(begun.headers.get('location') ?? '')
  const back = await one.atProvider({ url: there, state, setCookie: '' }, email)
  expect(await one.comeBack(back, state)).toMatchObject({ status: 303 })
  expect(await one.admin.get<SsoTest>(`${path()}/sso/tests/${testId}`)).toMatchObject({
    state: 'PASSED',
    came: { email },
    outcome: { isNewMember: true, after: { roles: ['COMPANY_USER'] } },
  })
  expect(await controller.store.users.findByEmail(email)).toBeUndefined()
  expect(await controller.store.invitations.find(one.company.id, email)).toBeDefined()
})

test('passwords are switched off once an owner came in, and the provider stays then', async () => {
  const refusal = { status: 409, code: 'would_lock_out' }
  const email = account(newEmail('owner'))
  expect(problem(await prefs({ passwordEnabled: false }))).toEqual(refusal)
  await controller.add(one.company.id, { email, roles: ['COMPANY_OWNER'] })
  expect((await enter(email)).status).toBe(200)
  expect((await prefs({ passwordEnabled: false })).status).toBe(200)
  for (const change of [{ googleEnabled: false }, { claimsRequired: true }])
    expect(problem(await prefs(change))).toEqual(refusal)
  expect((await enter(email)).status).toBe(200)
  expect((await prefs({ passwordEnabled: true })).status).toBe(200)
})

test('where none is set up nobody can switch it on, or come in by it', async () => {
  const admin = await without.join(one.company, {
    email: newEmail('admin'),
    roles: ['COMPANY_ADMIN'],
  })
  const answer = await admin.send('POST', `${path()}/auth/prefs`, { json: { googleEnabled: true } })
  expect(problem(answer)).toEqual({ status: 400, code: 'not_supported' })
  const query = new URLSearchParams({ companyName: one.company.name, ...google })
  const begun = await request(without.baseUrl, 'GET', `/v1/oauth/login?${query.toString()}`)
  expect(problem(begun)).toEqual({ status: 401, code: 'sso_refused' })
  const tried = await admin.send('POST', `${path()}/sso/tests`, { json: { protocol: 'google' } })
  expect(problem(tried)).toEqual({ status: 400, code: 'not_supported' })
})
