import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { idToken } from '../support/id-token.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { addOAuthCompany, type OAuthCompany } from '../support/oauth-company.ts'
import { refusedBy } from '../support/oauth-refusals.ts'
import { oidcClient } from '../support/oidc-provider.ts'
import {
  sendJson,
  startPlainProvider,
  type PlainProvider,
  type Reply,
} from '../support/plain-oauth.ts'
import { problem } from '../support/problem.ts'
import { namesIn } from '../support/redis.ts'

/** What a provider, or whoever stands in its place, may answer. */

let controller: TestController
let provider: PlainProvider
/** Knows three addresses. */
let plain: OAuthCompany
/** Verifies ID tokens. */
let known: OAuthCompany
let email: string

beforeAll(async () => {
  controller = await startTestController()
  provider = await startPlainProvider()
  plain = await addOAuthCompany(controller, 'Plain', provider.addresses)
  known = await addOAuthCompany(controller, 'Known', { issuer: provider.issuer })
})
beforeEach(() => {
  email = newEmail('person')
  provider.userInfo = { sub: 'x', email }
  provider.tokenReply = undefined
  provider.userInfoReply = undefined
  provider.tokenMore = () => ({})
})
afterAll(async () => {
  await provider?.[Symbol.asyncDispose]()
  await controller?.[Symbol.asyncDispose]()
})

/** A sign-in is refused by this check. */
async function refused(check: string, one = plain): Promise<void> {
  const { begun, back } = await one.sent('')
  await refusedBy(controller, one, check, email, () => one.comeBack(back, begun.state))
}

const answers = (status: number, type: string, body: string): Reply => {
  return (response) => void response.writeHead(status, { 'content-type': type }).end(body)
}
const json = (body: string) => answers(200, 'application/json', body)
const leads: Reply = (response) =>
  void response.writeHead(307, { location: provider.addresses.userInfoUri }).end()

describe('bare OAuth, as the interface has it', () => {
  test.each([
    ['only an address', () => ({ email })],
    ['sub that is an address', () => ({ sub: email })],
    ['numbers', () => ({ sub: 42, id: 42, email })],
  ])('%s is enough', async (_, userInfo) => {
    provider.userInfo = userInfo()
    expect((await plain.enter('')).session.identifier).toBe(email)
    expect(provider.redeemed.at(-1)?.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  })

  test('an ID token that nobody asked for is not looked at', async () => {
    provider.tokenMore = () => ({ id_token: 'nonsense', scope: 'email' })
    expect((await plain.enter('')).session.identifier).toBe(email)
  })

  test('a token that lasts a moment is taken for no longer', async () => {
    provider.tokenMore = () => ({ expires_in: 10 })
    const token = await plain.token('')
    const [key = ''] = await namesIn(controller.redis, 'temblor:oauth-ticket:*')
    expect(await controller.redis.ttl(key)).toBeLessThanOrEqual(10)
    expect((await plain.sso(token)).status).toBe(200)
  })
})

describe('tokenUri answers', () => {
  test.each<[string, Reply]>([
    ['an error', (response) => sendJson(response, 400, { error: 'invalid_grant' })],
    ['an error of its own', answers(500, 'text/html', '<h1>secret of the inside</h1>')],
    ['no JSON', answers(200, 'text/html', 'access_token=x')],
    ['half a JSON', json('{"access_token":"x"')],
    ['no token', json('{"token_type":"Bearer"}')],
    ['a token that is none', json('{"access_token":{"x":1},"token_type":"Bearer"}')],
    ['another kind of token', json('{"access_token":"x","token_type":"mac"}')],
    ['a redirect', leads],
    ['without end', json(`{"x":"${'x'.repeat(300_000)}"}`)],
    ['nothing', (response) => void response.destroy()],
  ])('%s', async (_, reply) => {
    provider.tokenReply = reply
    await refused('provider')
    expect(JSON.stringify(await plain.failures())).not.toContain('secret of the inside')
    provider.tokenReply = undefined
    expect((await plain.enter('')).session.identifier).toBe(email)
  })
})

describe('userInfoUri answers', () => {
  test.each<[string, string, Reply]>([
    [
      'an error',
      'provider',
      (response) => sendJson(response, 403, { error: 'insufficient_scope' }),
    ],
    ['a redirect', 'provider', leads],
    ['a list', 'provider', json('[{"email":"a@b.c"}]')],
    ['a text', 'provider', json('"a@b.c"')],
    ['nothing', 'provider', json('null')],
    ['no JSON', 'provider', answers(200, 'text/html', '<p>a@b.c')],
    ['without end', 'provider', json(`{"email":"a@b.c","x":"${'x'.repeat(300_000)}"}`)],
    ['nobody', 'identity', json('{}')],
    ['no address', 'identity', json('{"email":"nobody"}')],
    [
      'an address that is not verified',
      'identity',
      json('{"email":"a@b.c","email_verified":false}'),
    ],
    ['a prototype', 'identity', json('{"__proto__":{"email":"a@b.c"},"constructor":"a@b.c"}')],
  ])('%s', async (_, check, reply) => {
    provider.userInfoReply = reply
    await refused(check)
    provider.userInfoReply = undefined
    expect((await plain.enter('')).session.identifier).toBe(email)
  })
})

const now = () => Math.floor(Date.now() / 1000)
const pem = () => createPublicKey(provider.key).export({ type: 'spki', format: 'pem' })

const good = (nonce: string) => ({
  iss: provider.issuer,
  sub: 'x',
  aud: oidcClient.clientId,
  iat: now(),
  exp: now() + 60,
  nonce,
})

describe('ID tokens', () => {
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

  test.each<[string, (claims: ReturnType<typeof good>) => string | undefined]>([
    ['there is none', () => undefined],
    ['it is nonsense', () => 'a.b.c'],
    ['signed by a stranger', (claims) => idToken(stranger, claims)],
    [
      'signed by a stranger, with an unknown key',
      (claims) => idToken(stranger, claims, { kid: '2' }),
    ],
    ['not signed', (claims) => idToken(provider.key, claims, { alg: 'none' })],
    [
      'keyed with what is public',
      (claims) => idToken(provider.key, claims, { alg: 'HS256', secret: pem() }),
    ],
    [
      'keyed with the secret of the client',
      (claims) => idToken(provider.key, claims, { alg: 'HS256', secret: oidcClient.clientSecret }),
    ],
    [
      'by another issuer',
      (claims) => idToken(provider.key, { ...claims, iss: 'https://evil.example' }),
    ],
    ['for another client', (claims) => idToken(provider.key, { ...claims, aud: 'other' })],
    [
      'for several, and another is meant',
      (claims) => idToken(provider.key, { ...claims, aud: ['other', 'temblor'], azp: 'other' }),
    ],
    ['of another sign-in', (claims) => idToken(provider.key, { ...claims, nonce: 'another' })],
    ['without a nonce', (claims) => idToken(provider.key, { ...claims, nonce: undefined })],
    [
      'expired',
      (claims) => idToken(provider.key, { ...claims, iat: now() - 7200, exp: now() - 3600 }),
    ],
    ['of somebody else', (claims) => idToken(provider.key, { ...claims, sub: 'y' })],
    [
      'changed after signing',
      (claims) =>
        idToken(provider.key, claims).replace(/\.(.)/, (_, one) => `.${one === 'e' ? 'f' : 'e'}`),
    ],
  ])('refused: %s', async (_, make) => {
    provider.tokenMore = (nonce) => ({ id_token: make(good(nonce)) })
    await refused('provider', known)
    provider.tokenMore = (nonce) => ({ id_token: idToken(provider.key, good(nonce)) })
    expect((await known.enter('')).session.identifier).toBe(email)
  })

  test('roles may be claimed in it alone', async () => {
    const claims = { company_roles: ['COMPANY_MANAGER'], team_roles: ['Payments;TEAM_USER'] }
    provider.tokenMore = (nonce) => ({
      id_token: idToken(provider.key, { ...good(nonce), ...claims }),
    })
    await known.enter('')
    expect(await known.placeOf(email)).toEqual({
      roles: ['COMPANY_MANAGER'],
      teams: { [known.team.id]: ['TEAM_USER'] },
    })
  })
})

test('a provider that cannot be reached lets nobody in, and stays set', async () => {
  const gone = await startPlainProvider()
  const one = await addOAuthCompany(controller, 'Gone', gone.addresses)
  const { begun, back } = await one.sent('')
  await gone[Symbol.asyncDispose]()
  expect(problem(await one.comeBack(back, begun.state))).toEqual({
    status: 401,
    code: 'sso_refused',
  })
  expect((await one.failures())[0]).toMatchObject({ check: 'provider' })
})
