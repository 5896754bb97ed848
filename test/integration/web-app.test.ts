import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SignInMethods } from '../../shared/api/sign-in-methods.ts'
import { request } from '../support/http.ts'
import { startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

const person = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
let controller: TestController

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const get = (path: string, headers: Record<string, string> = {}) =>
  request(controller.baseUrl, 'GET', path, { headers })
const methods = async (companyName: string) =>
  (await get(`/v1/users/auth/methods?companyName=${companyName}`)).json as SignInMethods
const nonceOf = (policy: string | undefined) => /'nonce-([^']+)'/.exec(policy ?? '')?.[1] ?? ''

test.each([
  '/',
  '/attacks',
  '/attacks/x?team=y',
  '/users/sso/saml/acs?SamlSessionCode=x',
  '/invitation',
  '/password-reset/',
  '/nothing',
])('%s is the application for people, with a policy that lets nothing else in', async (path) => {
  const { status, headers, text } = await get(path, person)
  expect({ status, type: headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/html; charset=utf-8',
  })
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|http|\*/)
  expect(text).toContain(`nonce="${nonceOf(policy)}"`)
  expect(text).not.toMatch(/\{nonce\}|https?:|<style|<script>| on\w+=/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

test('each answer has a nonce of its own', async () => {
  const [one, other] = await Promise.all([get('/', person), get('/', person)])
  const nonces = [one, other].map(({ headers }) => nonceOf(headers.get('content-security-policy')))
  expect(new Set(nonces).size).toBe(2)
  expect(nonces[0]).toMatch(/^[\w+/]{22}==$/)
})

test.each(['/v1/nothing', '/v1', '/docs/nothing', '/assets/nothing.js', '/v1/attacks/new'])(
  '%s is told as an error also to who accepts pages',
  async (path) => {
    expect(problem(await get(path, person)).code).toMatch(/route_not_found|unauthenticated/)
  },
)

test('programs that ask for what is not there are told so', async () => {
  expect(problem(await get('/attacks')).code).toBe('route_not_found')
  expect(problem(await get('/attacks', { accept: '*/*' })).code).toBe('route_not_found')
  const post = await request(controller.baseUrl, 'POST', '/attacks', { headers: person })
  expect(problem(post).code).toBe('route_not_found')
})

test.each([
  ['POST', '/v1/users/auth/saml/acs', 401],
  ['GET', '/v1/users/auth/saml/login?companyName=<b>nobody', 401],
  ['GET', '/v1/users/auth/saml/login', 400],
  ['GET', '/v1/oauth/callback?state=<b>stolen&code=x', 401],
  ['GET', '/v1/oauth/login?companyName=<b>nobody', 401],
])(
  '%s %s is refused in plain words for people, as JSON for programs',
  async (method, path, status) => {
    const form = { SAMLResponse: '<b>stolen', RelayState: '<b>stolen' }
    const ask = (headers: Record<string, string>) =>
      request(controller.baseUrl, method, path, { headers, ...(method === 'POST' ? { form } : {}) })
    const page = await ask(person)
    expect(page.status).toBe(status)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(page.text).toContain(`<style nonce="${nonceOf(policy)}">`)
    expect(page.text).toContain('You are not signed in')
    expect(page.text).toContain('<a href="/sign-in">')
    // Nothing of what was sent, and nothing that tells one refusal from another.
    expect(page.text).not.toMatch(/<b>|nobody|stolen|companyName|state|sso_refused/)
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await ask(headers)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(problem(answer).code).toBe(status === 400 ? 'invalid_body' : 'sso_refused')
    }
  },
)

test('what the page loads is kept for ever, packed for who accepts that', async () => {
  const { text } = await get('/', person)
  const paths = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
  expect(paths.length).toBeGreaterThan(3)
  for (const path of paths) {
    expect(path).toMatch(/^\/assets\/[\w.-]+-[\w-]{8}\.(js|css|svg)$/)
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-type')).toMatch(/javascript|css|svg/)
    expect(answer.headers.get('content-encoding')).toBeUndefined()
  }
  const script = paths.find((path) => path.endsWith('.js')) ?? ''
  const answer = await fetch(controller.baseUrl + script, {
    headers: { 'accept-encoding': 'gzip' },
  })
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(answer.headers.get('vary')).toContain('accept-encoding')
  expect(await answer.text()).toBe((await get(script)).text)
})

test('how people sign in is told by the name of the company, and no more', async () => {
  const { store } = controller
  const company = await store.companies.addCompany('Methods')
  const usual = { password: true, saml: false, oauth: false, google: false }
  expect(await methods('Methods')).toEqual(usual)
  await store.signInSettings.change(company.id, ({ preferences }) => ({
    preferences: { ...preferences, samlEnabled: true, samlForced: true },
    saml: {
      entityId: 'idp',
      url: 'https://idp.example',
      certificates: ['x'],
      idpInitiated: false,
      version: '1',
      proofs: [],
    },
    oauth: undefined,
  }))
  expect(await methods('methods')).toEqual({ ...usual, password: false, saml: true })
  expect(await methods('Nobody')).toEqual(usual)
})
