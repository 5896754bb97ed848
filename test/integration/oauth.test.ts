import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Company } from '../../shared/api/companies.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { apiOf } from '../support/api.ts'
import { auditOf } from '../support/audit.ts'
import { request } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { addOAuthCompany, addressesOf, type OAuthCompany } from '../support/oauth-company.ts'
import { oidcClient, startOidcProvider, type TestProvider } from '../support/oidc-provider.ts'
import { problem } from '../support/problem.ts'

/** Sign-ins that succeed, what they change, and what an admin may set. */

let controller: TestController
let provider: TestProvider
/** Knows three addresses of its provider and no more. */
let plain: OAuthCompany
/** Knows the issuer, and so verifies ID tokens. */
let known: OAuthCompany

const scope = 'openid email roles'

beforeAll(async () => {
  controller = await startTestController()
  const redirectUris = [`${controller.baseUrl}/v1/oauth/callback`]
  provider = await startOidcProvider({ redirectUris })
  const addresses = addressesOf(provider.issuer)
  plain = await addOAuthCompany(controller, 'Plain', { ...addresses, scope })
  known = await addOAuthCompany(controller, 'Known', { issuer: provider.issuer, scope })
})
afterAll(async () => {
  await provider?.[Symbol.asyncDispose]()
  await controller?.[Symbol.asyncDispose]()
})

/** Somebody whom the provider knows; gives the login. */
function person(claims: Record<string, unknown> = {}): { login: string; email: string } {
  const email = newEmail('person')
  const login = `login of ${email}`
  provider.people.set(login, { email, email_verified: true, ...claims })
  return { login, email }
}
const codeOf = (answer: { headers: ReadonlyMap<string, string> }) =>
  new URL(answer.headers.get('location') ?? '').searchParams.get('OAuthSessionCode') ?? ''
const exchange = (code: string, cookie?: string) =>
  request(controller.baseUrl, 'POST', '/v1/oauth/sessions', {
    json: { code },
    ...(cookie ? { headers: { cookie: `oauth_state=${cookie}` } } : {}),
  })

const read = async (one: OAuthCompany) =>
  (await one.admin.get<Company>(`/companies/${one.company.id}`)).oauthSettings

const companies = () => [plain, known] as const
const renew = ({ identifier, company_id, renew_token }: Session) =>
  request(controller.baseUrl, 'POST', '/v1/users/renew/rbac', {
    form: { email: identifier, companyId: company_id, renewToken: renew_token },
  })

describe.each([0, 1])('a sign-in, with three addresses (0) or an issuer (1): %i', (which) => {
  test('begins with 307 and a cookie, and ends with a session of the company', async () => {
    const one = companies()[which] as OAuthCompany
    const { login, email } = person()
    const begun = await one.begin()
    expect(begun.url.origin).toBe(provider.issuer)
    const sent = Object.fromEntries(begun.url.searchParams)
    expect(sent).toMatchObject({
      client_id: oidcClient.clientId,
      redirect_uri: `${controller.baseUrl}/v1/oauth/callback`,
      response_type: 'code',
      code_challenge_method: 'S256',
      state: begun.state,
    })
    expect('nonce' in sent).toBe(one === known)
    expect(begun.setCookie).toBe(
      `oauth_state=${begun.state}; Max-Age=600; Path=/v1/oauth; HttpOnly; SameSite=Lax`,
    )
    const back = await one.atProvider(begun, login)
    expect(back.searchParams.get('state')).toBe(begun.state)
    const answer = await one.comeBack(back, begun.state)
    expect(answer).toMatchObject({ status: 200, json: { access_token: expect.any(String) } })
    expect(answer.headers.get('set-cookie')).toMatch(/^oauth_state=; Max-Age=0; /)
    expect(await controller.store.users.findByEmail(email)).toBeUndefined()
    const opened = await one.sso((answer.json as { access_token: string }).access_token)
    expect(opened).toMatchObject({
      status: 200,
      json: { identifier: email, company_id: one.company.id, roles: ['COMPANY_USER'] },
    })
    const api = apiOf(controller.baseUrl, opened.json as Session)
    expect(await api.get('/users/self')).toMatchObject({ identifier: email })
  })

  test('is a list where the same form goes to /users/auth', async () => {
    const one = companies()[which] as OAuthCompany
    const { login, email } = person()
    const form = { companyName: one.company.name, email, provider: 'oauth' }
    const post = async (query = '') =>
      await request(controller.baseUrl, 'POST', `/v1/users/auth${query}`, {
        form: { ...form, accessToken: await one.token(login) },
      })
    expect(await post()).toMatchObject({ status: 200, json: [{ identifier: email }] })
    expect(await post('?getCompanySession=true')).toMatchObject({
      status: 200,
      json: { identifier: email },
    })
  })

  test('gives the roles that are claimed, and the next claim replaces them; the audit has both', async () => {
    const one = companies()[which] as OAuthCompany
    const claims = {
      company_roles: ['COMPANY_USER', 'COMPANY_OWNER'],
      team_roles: ['Payments;TEAM_USER,TEAM_VIEWER'],
    }
    const { login, email } = person(claims)
    const place = {
      roles: ['COMPANY_USER', 'COMPANY_OWNER'],
      teams: { [one.team.id]: ['TEAM_USER', 'TEAM_VIEWER'] },
    }
    const entries = await auditOf(() => one.admin).leaves(() => one.enter(login), 2)
    expect(entries).toMatchObject([
      { action: 'session.oauth', result: 'ok', actor: { name: email } },
      {
        action: 'session.login',
        result: 'ok',
        detail: { method: 'oauth', old: { roles: null, teams: null }, new: place },
      },
    ])
    expect(await one.placeOf(email)).toEqual(place)
    provider.people.set(login, { email, company_roles: ['COMPANY_USER'] })
    await one.enter(login)
    expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_USER'], teams: {} })
    provider.people.set(login, { email })
    await one.enter(login)
    expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_USER'], teams: {} })
  })
})

describe('browsers', () => {
  test('go on to an address of the settings with a code that is good once', async () => {
    const redirectUri = 'https://app.example/in?x=1'
    expect((await known.configure({ redirectUris: [redirectUri] })).status).toBe(200)
    const { login, email } = person()
    const { begun, back } = await known.sent(login, { redirectUri })
    const answer = await known.comeBack(back, begun.state)
    expect(answer).toMatchObject({ status: 303, text: '' })
    expect(answer.headers.get('location')).toMatch(
      /^https:\/\/app\.example\/in\?x=1&OAuthSessionCode=[\w-]{43}$/,
    )
    expect(await exchange(codeOf(answer))).toMatchObject({
      status: 200,
      json: { identifier: email },
    })
    expect(problem(await exchange(codeOf(answer)))).toEqual({ status: 401, code: 'sso_refused' })
    const { paths } = await known.admin.get<{
      paths: Record<string, { get: { responses: object } }>
    }>('/openapi.json')
    expect(Object.keys(paths['/v1/oauth/callback']?.get.responses ?? {})).toContain('303')
  })

  test('go on to this service, where only the browser of the sign-in gets the session', async () => {
    const redirectUri = `${controller.baseUrl}/users/sso/oauth`
    const { login, email } = person()
    const { begun, back } = await known.sent(login, { redirectUri })
    const answer = await known.comeBack(back, begun.state)
    expect(answer.headers.get('location')).toMatch(`${redirectUri}?OAuthSessionCode=`)
    for (const cookie of [undefined, (await known.begin()).state])
      expect(problem(await exchange(codeOf(answer), cookie)).code).toBe('sso_refused')
    expect(await controller.store.users.findByEmail(email)).toBeUndefined()
    const opened = await exchange(codeOf(answer), begun.state)
    expect(opened).toMatchObject({ status: 200, json: { identifier: email } })
    expect(opened.headers.get('set-cookie')).toMatch(/^oauth_state=; Max-Age=0/)
  })
})

describe('who comes in by a provider', () => {
  test('has a session of its company alone and changes no password', async () => {
    const { login, email } = person({ company_roles: ['COMPANY_OWNER'] })
    const other = await controller.store.companies.addCompany(newEmail('Other'))
    await controller.join(other, { email, roles: ['COMPANY_OWNER'] })
    const api = await known.enter(login)
    expect(await api.get('/users/self')).toMatchObject({ company_id: known.company.id })
    const form = {
      currentPassword: 'correct horse battery staple',
      newPassword: 'another long password',
    }
    expect(problem(await api.send('PUT', '/users/auth/password', { form }))).toMatchObject({
      code: 'method_disabled',
    })
    expect(problem(await api.send('GET', `/companies/${other.id}`))).toMatchObject({ status: 404 })
  })

  test('renews while the company has OAuth', async () => {
    const { session } = await known.enter(person().login)
    const renewed = await renew(session)
    expect(renewed.status).toBe(200)
    await known.configure({ enabled: false })
    expect(problem(await renew(renewed.json as Session))).toMatchObject({ status: 401 })
    await known.configure({ enabled: true })
  })
})

describe('settings', () => {
  test('are read back without the secret, which is kept sealed', async () => {
    expect(await read(plain)).toEqual({
      ...addressesOf(provider.issuer),
      clientId: oidcClient.clientId,
      clientSecret: null,
      scope,
      issuer: null,
      enabled: true,
      redirectUris: [],
      acceptsForeignTokens: false,
    })
    expect(await read(known)).toMatchObject({
      ...addressesOf(provider.issuer),
      issuer: provider.issuer,
    })
    const kept = await controller.redis.hgetall(`temblor:{c:${plain.company.id}}:company`)
    expect(kept['oauthSettings']).toContain(oidcClient.clientId)
    expect(JSON.stringify(kept)).not.toContain(oidcClient.clientSecret)
  })

  test.each([
    ['authorizationUri', 'http://idp.example/auth'],
    ['authorizationUri', 'javascript:alert(1)'],
    ['tokenUri', 'https://user@idp.example/token'],
    ['userInfoUri', 'nonsense'],
    ['issuer', 'https://idp.example/?x=1'],
    ['redirectUris', ['http://app.example']],
    ['clientSecret', ''],
    ['enabled', 'perhaps'],
  ])('%s cannot be %s', async (field, value) => {
    const before = await controller.store.signInSettings.read(plain.company.id)
    const answer = await plain.configure({ [field]: value })
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
    expect(answer.text).toContain(field)
    expect(answer.text).not.toContain(oidcClient.clientSecret)
    expect(await controller.store.signInSettings.read(plain.company.id)).toEqual(before)
  })

  test('an address that the issuer does not tell is refused, and so is an issuer that is not there', async () => {
    const tokenUri = `${provider.issuer}/other`
    expect(problem(await known.configure({ tokenUri })).code).toBe('invalid_body')
    expect(problem(await known.configure({ issuer: `${provider.issuer}/other` })).code).toBe(
      'invalid_body',
    )
    expect(await read(known)).toMatchObject(addressesOf(provider.issuer))
  })

  test('the first provider is switched on, the next leaves that as it is', async () => {
    const fresh = await addOAuthCompany(controller, 'Fresh', addressesOf(provider.issuer))
    expect(await read(fresh)).toMatchObject({ enabled: true, scope: 'email' })
    const prefs = (json: object) =>
      fresh.admin.send('POST', `/companies/${fresh.company.id}/auth/prefs`, { json })
    expect((await prefs({ oauthEnabled: false })).status).toBe(200)
    await fresh.configure({ scope: null })
    expect(await read(fresh)).toMatchObject({ enabled: false, scope: 'email' })
    expect((await prefs({ oauthEnabled: true })).status).toBe(200)
  })

  test('passwords are switched off once an owner came in, and the provider stays', async () => {
    const two = await addOAuthCompany(controller, 'Two', { issuer: provider.issuer, scope })
    const prefs = (json: object) =>
      two.admin.send('POST', `/companies/${two.company.id}/auth/prefs`, { json })
    const refused = { status: 409, code: 'would_lock_out' }
    expect(problem(await prefs({ passwordEnabled: false }))).toEqual(refused)
    await two.enter(person().login)
    expect(problem(await prefs({ passwordEnabled: false }))).toEqual(refused)
    await two.enter(person({ company_roles: ['COMPANY_OWNER'] }).login)
    expect((await prefs({ passwordEnabled: false })).status).toBe(200)
    expect(problem(await prefs({ oauthEnabled: false }))).toEqual(refused)
    expect(problem(await two.configure({ clientSecret: 'another' }))).toEqual(refused)
    expect((await two.configure({ acceptsForeignTokens: true })).status).toBe(200)
    await two.enter(person({ company_roles: ['COMPANY_OWNER'] }).login)
    expect((await prefs({ passwordEnabled: true })).status).toBe(200)
  })
})

test('a provider that wants the secret in a header gets it there, known or not', async () => {
  await using basic = await startOidcProvider({
    redirectUris: [`${controller.baseUrl}/v1/oauth/callback`],
    tokenAuth: 'client_secret_basic',
  })
  const { login, email } = person()
  basic.people.set(login, { email })
  for (const settings of [addressesOf(basic.issuer), { issuer: basic.issuer }]) {
    const one = await addOAuthCompany(controller, 'Basic', { ...settings, scope })
    expect(await (await one.enter(login)).get('/users/self')).toMatchObject({ identifier: email })
  }
})
