import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditOf } from '../support/audit.ts'
import { newBrowser } from '../support/cookies.ts'
import { request, type Answer } from '../support/http.ts'
import { newEmail } from '../support/in-process.ts'
import { addOAuthCompany, type OAuthCompany } from '../support/oauth-company.ts'
import { rigScope, startOAuthRig, type OAuthRig } from '../support/oauth-rig.ts'
import { otherClient } from '../support/oidc-provider.ts'
import { problem } from '../support/problem.ts'
import { quickestMs } from '../support/quickest.ts'

/** Sign-ins on the wrong way, which let nobody in; each has an untouched twin that does. */

let rig: OAuthRig
let one: OAuthCompany
let two: OAuthCompany

beforeAll(async () => {
  rig = await startOAuthRig()
  ;({ one, two } = rig)
})
afterAll(() => rig?.[Symbol.asyncDispose]())

const edited = (url: URL, change: Record<string, string | undefined>) => {
  const copy = new URL(url)
  for (const [name, value] of Object.entries(change))
    if (value === undefined) copy.searchParams.delete(name)
    else copy.searchParams.set(name, value)
  return copy
}
const tokenOf = (answer: Answer) => (answer.json as { access_token: string }).access_token

test('12: of two companies with one provider, neither takes what was meant for the other', async () => {
  const { issuer } = rig.provider
  const twin = await addOAuthCompany(rig.controller, 'Twin', { issuer, scope: rigScope })
  const { login, email } = rig.person({ company_roles: ['COMPANY_OWNER'] })
  const token = await one.token(login)
  await rig.refused('token', email, () => twin.sso(token), twin)
  const theirs = await one.sent(login)
  const { state } = await twin.begin()
  await rig.refused(
    'provider',
    email,
    () => twin.comeBack(edited(theirs.back, { state }), state),
    twin,
  )
  expect((await one.sso(token)).status).toBe(200)
  expect(await twin.placeOf(email)).toBeUndefined()
  expect((await twin.enter(login)).session.company_id).toBe(twin.company.id)
})

describe('13: the callback belongs to the browser that began', () => {
  test('without the cookie, with another, with two, with another state: refused, and the own one goes on', async () => {
    const { login, email } = rig.person()
    const { begun, back } = await one.sent(login)
    const other = await one.begin()
    const get = (cookie: string) =>
      request(rig.controller.baseUrl, 'GET', `${back.pathname}${back.search}`, {
        headers: { cookie },
      })
    await rig.refused('state', email, () => one.comeBack(back))
    await rig.refused('state', email, () => one.comeBack(back, other.state))
    await rig.refused('state', email, () =>
      get(`oauth_state=${other.state}; oauth_state=${begun.state}`),
    )
    await rig.refused('state', email, () => get(`oauth_state=; x=${begun.state}`))
    await rig.refused('state', email, () =>
      one.comeBack(edited(back, { state: other.state }), begun.state),
    )
    const answer = await one.comeBack(back, begun.state)
    expect(answer.status).toBe(200)
    expect((await one.sso(tokenOf(answer))).status).toBe(200)
  })

  test('the callback of an attacker in the browser of a victim spoils neither sign-in', async () => {
    const [attacker, victim] = [rig.person(), rig.person()]
    const [of, its] = [await one.sent(attacker.login), await one.sent(victim.login)]
    await rig.refused('state', attacker.email, () => one.comeBack(of.back, its.begun.state))
    expect((await one.comeBack(its.back, its.begun.state)).status).toBe(200)
    expect((await one.comeBack(of.back, of.begun.state)).status).toBe(200)
  })

  test('a state is good once; of twenty at once one comes back', async () => {
    const { login } = rig.person()
    const { begun, back } = await one.sent(login)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => one.comeBack(back, begun.state)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const last = await one.comeBack(back, begun.state)
    expect(problem(last)).toEqual({ status: 401, code: 'sso_refused' })
    expect(answers.filter(({ text }) => text.includes(login))).toEqual([])
  })

  test('a state that nobody was given is as good as none', async () => {
    const { email, login } = rig.person()
    const { back } = await one.sent(login)
    const forged = 'A'.repeat(43)
    const answer = await one.comeBack(edited(back, { state: forged }), forged)
    expect(problem(answer)).toEqual({ status: 401, code: 'sso_refused' })
    expect(answer.text).not.toContain(email)
  })
})

const redeemed = () => rig.provider.asked.filter((path) => path === '/token').length

describe('14: several providers', () => {
  test('the code of one is shown to the provider of the sign-in alone, which refuses it', async () => {
    const { login, email } = rig.person()
    const there = await one.sent(login)
    const begun = await two.begin()
    const mixed = edited(there.back, { state: begun.state, iss: undefined })
    const before = redeemed()
    await rig.refused('provider', email, () => two.comeBack(mixed, begun.state), two)
    expect(redeemed()).toBe(before)
    expect((await one.comeBack(there.back, there.begun.state)).status).toBe(200)
  })

  test.each([['https://evil.example'], [undefined]])(
    'the provider names itself as %s',
    async (iss) => {
      const { login, email } = rig.person()
      const { begun, back } = await one.sent(login)
      await rig.refused('provider', email, () => one.comeBack(edited(back, { iss }), begun.state))
      expect((await one.enter(login)).session.identifier).toBe(email)
    },
  )
})

describe('15: codes', () => {
  test.each([
    ['of nobody', { code: 'nonsense' }],
    ['missing', { code: undefined }],
    ['an error', { code: undefined, error: 'access_denied' }],
    ['an error besides the code', { error: '<script>' }],
  ])('%s', async (_, change) => {
    const { login, email } = rig.person()
    const { begun, back } = await one.sent(login)
    await rig.refused('provider', email, () => one.comeBack(edited(back, change), begun.state))
    expect((await one.enter(login)).session.identifier).toBe(email)
  })

  test('a code that is used, in a sign-in of its own', async () => {
    const { login, email } = rig.person()
    const first = await one.sent(login)
    expect((await one.comeBack(first.back, first.begun.state)).status).toBe(200)
    const begun = await one.begin()
    const again = edited(first.back, { state: begun.state })
    await rig.refused('provider', email, () => one.comeBack(again, begun.state))
  })

  test('a code of another browser: its verifier is not this one', async () => {
    const [theirs, own] = [rig.person(), rig.person()]
    const [stolen, begun] = [await one.sent(theirs.login), await one.sent(own.login)]
    const injected = edited(begun.back, { code: stolen.back.searchParams.get('code') ?? '' })
    await rig.refused('provider', theirs.email, () => one.comeBack(injected, begun.begun.state))
    expect((await one.enter(own.login)).session.identifier).toBe(own.email)
  })

  test('two codes, or an endless one, are no request', async () => {
    const { begun, back } = await one.sent(rig.person().login)
    const twice = new URL(`${back.href}&code=another`)
    expect(problem(await one.comeBack(twice, begun.state)).code).toBe('invalid_body')
    const long = edited(back, { code: 'x'.repeat(8193) })
    expect(problem(await one.comeBack(long, begun.state)).code).toBe('invalid_body')
    expect((await one.comeBack(back, begun.state)).status).toBe(200)
  })
})

/** An access token that the provider gave to somebody else's client. */
async function tokenOfOther(login: string): Promise<string> {
  const verifier = 'v'.repeat(43)
  const redirect_uri = `${rig.controller.baseUrl}/v1/oauth/callback`
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const query = new URLSearchParams({
    client_id: otherClient.clientId,
    response_type: 'code',
    redirect_uri,
    scope: rigScope,
    code_challenge: Buffer.from(hash).toString('base64url'),
    code_challenge_method: 'S256',
  })
  const url = new URL(`${rig.provider.issuer}/auth?${query.toString()}`)
  const back = await one.atProvider({ url, state: '', setCookie: '' }, login, newBrowser())
  const answer = await fetch(`${rig.provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri,
      code_verifier: verifier,
      client_id: otherClient.clientId,
      client_secret: otherClient.clientSecret,
    }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

describe('16: access tokens', () => {
  test('of another client: refused, unless the company takes whatever token there is', async () => {
    const { login, email } = rig.person()
    const token = await tokenOfOther(login)
    await rig.refused('token', email, () => one.sso(token))
    await one.configure({ acceptsForeignTokens: true })
    expect(await one.sso(token)).toMatchObject({ status: 200, json: { identifier: email } })
    await rig.refused('provider', email, () => one.sso('nonsense'))
    await rig.refused('provider', email, () => one.sso('two\r\nlines: x'))
    await one.configure({ acceptsForeignTokens: false })
    await rig.refused('token', email, () => one.sso(token))
  })

  test('made up, used twice, or used twenty times at once', async () => {
    const { login, email } = rig.person()
    await rig.refused('token', email, () => one.sso('nonsense'))
    const token = await one.token(login)
    const answers = await Promise.all(Array.from({ length: 20 }, () => one.sso(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    await rig.refused('token', email, () => one.sso(token))
  })

  test('at another company, as of another method or person; then the own one', async () => {
    const { login, email } = rig.person()
    const token = await one.token(login)
    const { name } = two.company
    await rig.refused('token', email, () => one.sso(token, { companyName: name }), two)
    const google = await one.sso(token, { provider: 'google' })
    expect(problem(google)).toEqual({ status: 401, code: 'sso_refused' })
    expect((await one.sso(token)).status).toBe(200)
    const again = await one.token(login)
    const mail = { email: newEmail('another') }
    expect(problem(await one.sso(again, mail))).toEqual({ status: 401, code: 'sso_refused' })
  })

  test('from before the settings were changed', async () => {
    const { login, email } = rig.person()
    const token = await one.token(login)
    const { begun, back } = await one.sent(login)
    await one.configure()
    expect(problem(await one.sso(token))).toEqual({ status: 401, code: 'sso_refused' })
    expect((await one.failures())[0]).toMatchObject({ check: 'settings', email })
    await rig.refused('settings', email, () => one.comeBack(back, begun.state))
    expect((await one.enter(login)).session.identifier).toBe(email)
  })
})

describe('17 and 18: what is sent along', () => {
  test.each([
    'https://evil.example/',
    'https://app.example/in/more',
    'https://app.example/in?x=1',
    'http://app.example/in',
  ])('redirectUri %s', async (redirectUri) => {
    await one.configure({ redirectUris: ['https://app.example/in'] })
    const begin = (uri: string) =>
      request(
        rig.controller.baseUrl,
        'GET',
        `/v1/oauth/login?${new URLSearchParams({ companyName: one.company.name, redirectUri: uri }).toString()}`,
      )
    const answer = await begin(redirectUri)
    expect(problem(answer)).toEqual({ status: 401, code: 'sso_refused' })
    expect(answer.headers.get('set-cookie')).toBeUndefined()
    expect((await one.failures())[0]).toMatchObject({ check: 'redirect_uri' })
    expect((await begin('https://app.example/in')).status).toBe(307)
  })

  test.each(['javascript:alert(1)', '//evil.example', 'data:text/html,x', '/in'])(
    'redirectUri %s is no address',
    async (redirectUri) => {
      await expect(one.begin({ redirectUri })).rejects.toThrow('invalid_body')
    },
  )

  test('line ends in the name of a company become no header', async () => {
    const answer = await request(
      rig.controller.baseUrl,
      'GET',
      '/v1/oauth/login?companyName=x%0d%0aset-cookie:%20oauth_state=y',
    )
    expect(problem(answer)).toEqual({ status: 401, code: 'sso_refused' })
    expect(answer.headers.get('set-cookie')).toBeUndefined()
  })

  test('a state that is there before is not taken', async () => {
    const fixed = 'F'.repeat(43)
    const answer = await request(
      rig.controller.baseUrl,
      'GET',
      `/v1/oauth/login?companyName=${one.company.name}`,
      { headers: { cookie: `oauth_state=${fixed}`, authorization: 'Bearer x' } },
    )
    expect(answer.status).toBe(307)
    expect(answer.headers.get('set-cookie')).toMatch(/^oauth_state=[\w-]{43};/)
    expect(JSON.stringify([...answer.headers])).not.toContain(fixed)
  })
})

test('21: of a company there is nothing to learn: neither by the answer nor by the time', async () => {
  const otherwise = await rig.controller.store.companies.addCompany(newEmail('Otherwise'))
  const token = tokenOf(await one.comeBack((await one.sent(rig.person().login)).back))
  const begin = (name: string) =>
    request(rig.controller.baseUrl, 'GET', `/v1/oauth/login?companyName=${name}`)
  const sso = (companyName: string) =>
    request(rig.controller.baseUrl, 'POST', '/v1/users/auth/sso', {
      form: { accessToken: `x${token}`, provider: 'oauth', companyName },
    })
  for (const ask of [begin, sso]) {
    const ways = { none: () => ask('nowhere'), otherwise: () => ask(otherwise.name) }
    const [none, other] = [await ways.none(), await ways.otherwise()]
    expect([other.status, problem(other)]).toEqual([none.status, problem(none)])
    expect(none.status).toBeGreaterThanOrEqual(400)
    const alike = (best: Record<keyof typeof ways, number>) =>
      Math.abs(best.none - best.otherwise) < 1
    expect(await quickestMs(ways, alike, () => Promise.resolve())).toSatisfy(alike)
  }
})

test('of what anybody can cause the audit is told so many an hour, of what a provider says always', async () => {
  const { back } = await two.sent(rig.person().login)
  const flood = await Promise.all(Array.from({ length: 70 }, () => two.comeBack(back)))
  expect(flood.map(({ status }) => status)).toEqual(flood.map(() => 401))
  const audit = auditOf(() => two.admin)
  const told = (await audit.entries('?pageSize=200')).filter(({ code }) => code === 'state')
  expect(told.length).toBeLessThanOrEqual(60)
  const { login } = rig.person({ company_roles: ['BOSS'] })
  const proven = await two.sent(login)
  const entry = await audit.leavesOne(() => two.comeBack(proven.back, proven.begun.state))
  expect(entry).toMatchObject({ action: 'session.oauth', code: 'claims' })
})
