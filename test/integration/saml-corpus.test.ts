import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readAssertion } from '../../controller/saml/assertion.ts'
import { parseXml } from '../../controller/saml/xml.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { auditOf } from '../support/audit.ts'
import { temblorJson } from '../support/command.ts'
import { request } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { quickestMs, takeAsLong } from '../support/quickest.ts'
import { addSamlCompany, type SamlCompany } from '../support/saml-company.ts'
import { buildResponse, type ResponseOptions } from '../support/saml-idp.ts'
import { forgetEarlier, refusalsOf, type Refusals } from '../support/saml-refusals.ts'
import { listen } from '../support/site.ts'

/** More of what should let nobody in, or not further than meant; each with what is let in. */

let controller: TestController
let one: SamlCompany
let refusals: Refusals

beforeAll(async () => {
  controller = await startTestController()
  one = await addSamlCompany(controller, 'Corpus')
  refusals = refusalsOf(controller, one)
})
beforeEach(() => forgetEarlier(controller))
afterAll(() => controller?.[Symbol.asyncDispose]())

const refusedSso = { status: 401, code: 'sso_refused' }
const role = (name: string) => [['company:roles', name]] as const
const login = (email: string, password = personsPassword, companyName?: string) =>
  request(controller.baseUrl, 'POST', '/v1/users/auth', {
    form: { email, password, ...(companyName === undefined ? {} : { companyName }) },
  })

/** What a refused password is answered, without what differs by chance. */
const refusalFor = async (email: string, companyName?: string) => {
  const { status, text, headers } = await login(email, 'a wrong password', companyName)
  const names = [...headers.keys()].filter((name) => !name.startsWith('x-ratelimit')).toSorted()
  return { status, text: text.replace(/"requestId":"[^"]+"/, ''), names }
}

describe('5 and 6: XML', () => {
  test.each([
    ['a comment', '<!--x-->', 303],
    ['an entity', '&x;', 401],
    ['CDATA', '<![CDATA[]]>', 401],
    ['an element', '<x></x>', 401],
  ])('%s in a role makes no other role of it', async (_what, part, status) => {
    const email = newEmail('cut')
    const xml = one.build({ email, attributes: role('COMPANY_MANAGER') })
    const answer = await one.post(xml.replace('COMPANY_MAN', `COMPANY_${part}MAN`))
    expect(answer.status).toBe(status)
    const place = await one.placeOf(email)
    expect(place?.roles).toEqual(status === 303 ? ['COMPANY_MANAGER'] : undefined)
    if (status === 401) await one.post(xml)
    expect((await one.placeOf(email))?.roles).toEqual(['COMPANY_MANAGER'])
  })

  test('no entity is fetched, and bombs and mountains cost nothing', async () => {
    let hits = 0
    const listener = createServer((_asked, answer) => {
      hits += 1
      answer.end()
    })
    const url = await listen(listener)
    const laughs = Array.from(
      { length: 9 },
      (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`,
    )
    const memory = process.memoryUsage().rss
    const since = performance.now()
    for (const [inner, name] of [
      [`<!ENTITY x SYSTEM "${url}/x">`, '&x;'],
      [`<!ENTITY % x SYSTEM "${url}/x"> %x;`, ''],
      [`<!ENTITY l0 "ha">${laughs.join('')}`, '&l9;'],
    ] as const) {
      const edit = (xml: string) =>
        `<!DOCTYPE r [${inner}]>${xml.replace('victim-', () => `${name}victim-`)}`
      expect(await refusals.twin('structure', edit)).toBe(303)
    }
    const mountain = await request(controller.baseUrl, 'POST', '/v1/users/auth/saml/acs', {
      form: { SAMLResponse: 'A'.repeat(1_000_000) },
    })
    expect(problem(mountain)).toEqual({ status: 413, code: 'body_too_large' })
    expect(performance.now() - since).toBeLessThan(10_000)
    expect(process.memoryUsage().rss - memory).toBeLessThan(200 * 2 ** 20)
    expect(hits).toBe(0)
    listener.close()
    await once(listener, 'close')
  })

  test('a byte order mark, and UTF-16', async () => {
    const email = newEmail('victim')
    const xml = one.build({ email })
    const post = (bytes: Buffer) =>
      request(controller.baseUrl, 'POST', '/v1/users/auth/saml/acs', {
        form: {
          SAMLResponse: bytes.toString('base64'),
          RelayState: `${one.company.name}|||${one.app}|||/`,
        },
      })
    await refusals.refused(email, 'structure', () => post(Buffer.from(`\uFEFF${xml}`)))
    await refusals.refused(email, 'structure', () => post(Buffer.from(xml, 'utf16le')))
    expect(await post(Buffer.from(xml))).toMatchObject({ status: 303 })
  })
})

describe('9: to the second', () => {
  const nowMs = Date.parse('2026-11-21T12:00:00Z')
  const read = (given: Partial<ResponseOptions>) => {
    const context = { issuer: 'i', audience: 'a', recipient: 'r', nowMs }
    const usual = { issuer: 'i', audience: 'a', acs: 'r', email: 'a@example.com' }
    const good = {
      issuedMs: nowMs,
      notBeforeMs: nowMs,
      notOnOrAfterMs: nowMs + 1_000,
      confirmedUntilMs: nowMs + 1_000,
    }
    const xml = buildResponse(one.key, { ...usual, ...good, ...given }, { what: 'none' })
    const [assertion = ''] = /<saml:Assertion .*<\/saml:Assertion>/.exec(xml) ?? []
    return () => readAssertion(parseXml(assertion), context)
  }
  test.each([
    ['notOnOrAfterMs', -1],
    ['confirmedUntilMs', -1],
    ['sessionUntilMs', -1],
    ['notBeforeMs', 1],
    ['issuedMs', 1],
  ] as const)('%s may be 59 s off, not 61', (field, side) => {
    expect(read({ [field]: nowMs + side * 59_000 })).not.toThrow()
    expect(read({ [field]: nowMs + side * 61_000 })).toThrow(/past|to come|ended|until/)
  })

  test('a replay is remembered for as long as it could be one', () => {
    const far = Date.parse('9999-12-31T00:00:00Z')
    const { rememberUntilMs } = read({ notOnOrAfterMs: far, confirmedUntilMs: far })()
    expect(rememberUntilMs).toBe(nowMs + 12 * 60_000)
    expect(read({ issuedMs: nowMs - 11 * 60_000 - 1 })).toThrow('ten minutes')
  })
})

test('12: what one company is told lets nobody into another with the same provider', async () => {
  const other = await addSamlCompany(controller, 'Other', one.key)
  await other.configure({ entityId: one.issuer })
  const email = newEmail('shared')
  const xml = one.build({ email, attributes: role('COMPANY_OWNER') })
  const relayOfOther = `${other.company.name}|||${one.app}|||/`
  const opened = await one.exchange(await one.post(xml, relayOfOther))
  expect(opened.json).toMatchObject({ company_id: other.company.id })
  expect(await one.placeOf(email)).toBeUndefined()
  expect(problem(await one.post(xml))).toEqual(refusedSso)
  expect((await one.failures())[0]).toMatchObject({ check: 'replay' })
  const header = { authorization: (opened.json as Session).header }
  const path = `/v1/companies/${one.company.id}`
  const read = await request(controller.baseUrl, 'GET', path, { headers: header })
  expect(problem(read)).toMatchObject({ status: 404 })
})

test.each(['companyName', 'destination', 'acsHandler'])(
  '17: no line of the header comes from %s',
  async (field) => {
    const query = new URLSearchParams({ companyName: one.company.name })
    query.set(field, `${query.get(field) ?? '/'}\r\nSet-Cookie: a=b\r\n\r\n<script>`)
    const path = `/v1/users/auth/saml/login?${query.toString()}`
    const answer = await request(controller.baseUrl, 'GET', path)
    expect([302, 400, 401]).toContain(answer.status)
    expect(answer.headers.has('set-cookie')).toBe(false)
    expect(answer.headers.get('location') ?? '').not.toMatch(/[\r\n<]|Set-Cookie/)
    expect((await one.begin()).url.origin).toBe('https://idp.example')
  },
)

test('18: a session that somebody brings along is not the one they get', async () => {
  const attacker = await one.enter()
  const email = newEmail('fixed')
  const form = {
    SAMLResponse: Buffer.from(one.build({ email })).toString('base64'),
    RelayState: `${one.company.name}|||${one.app}|||/`,
  }
  const headers = { authorization: attacker.session.header, cookie: 'session=fixed' }
  const send = (path: string, options: object) =>
    request(controller.baseUrl, 'POST', `/v1/users/auth/saml/${path}`, { ...options, headers })
  const answer = await send('acs', { form })
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('SamlSessionCode')
  const opened = (await send('sessions', { json: { code } })).json as Session
  expect(opened.identifier).toBe(email)
  expect(opened.token).not.toBe(attacker.session.token)
  expect(await attacker.get('/users/self')).toMatchObject({
    identifier: attacker.session.identifier,
  })
})

describe('21: with a password, who comes by the provider alone looks like nobody', () => {
  const [sso, revoked] = [newEmail('sso'), newEmail('revoked')]
  beforeAll(async () => {
    await one.enter({ email: sso })
    await one.enter({ email: revoked })
    const path = `/companies/${one.company.id}/users/${revoked}/active`
    await one.admin.send('DELETE', path)
  })

  test('by the answer', async () => {
    const nobody = await refusalFor(newEmail('nobody'))
    expect(nobody.status).toBe(401)
    for (const email of [sso, revoked]) {
      expect(await refusalFor(email)).toEqual(nobody)
      expect(await refusalFor(email, one.company.name)).toEqual(nobody)
      expect(await refusalFor(email, 'nowhere')).toEqual(nobody)
    }
  })

  test('by the time', async () => {
    const ways = {
      nobody: () => refusalFor(newEmail('nobody')),
      sso: () => refusalFor(sso),
      revoked: () => refusalFor(revoked, one.company.name),
      nowhere: () => refusalFor(sso, 'nowhere'),
    }
    const alike = (best: Record<keyof typeof ways, number>) => takeAsLong(...Object.values(best))
    expect(await quickestMs(ways, alike, () => forgetEarlier(controller))).toSatisfy(alike)
  })
})

test('25: the last owner may lose the role by a claim, loudly, and gets it back on the host', async () => {
  const alone = await addSamlCompany(controller, 'Alone')
  const email = alone.admin.session.identifier
  const reader = await controller.join(alone.company, {
    email: newEmail('reader'),
    roles: ['COMPANY_ADMIN'],
  })
  const claim = () => alone.enter({ email, attributes: role('COMPANY_USER') })
  const [changed] = await auditOf(() => reader).leaves(claim, 2)
  expect(changed).toMatchObject({
    action: 'session.saml',
    result: 'ok',
    detail: { old: { roles: ['COMPANY_OWNER'] }, new: { roles: ['COMPANY_USER'] } },
  })
  expect(problem(await alone.configure())).toMatchObject({ status: 403 })
  const command = ['admin', 'user', 'make-owner', email, '--company', alone.company.name]
  await temblorJson(command, controller.environment)
  expect((await alone.configure()).status).toBe(200)
})

test('26: who is an owner elsewhere has nothing of it by the provider of this company', async () => {
  const elsewhere = await controller.store.companies.addCompany(newEmail('Elsewhere'))
  const email = newEmail('alice')
  const alice = await controller.join(elsewhere, { email, roles: ['COMPANY_OWNER'] })
  await alice.send('POST', '/apikeys', { json: { identifier: 'of-alice' } })
  const bySaml = await one.enter({ email, attributes: role('COMPANY_OWNER') })
  const sessions = JSON.stringify(await bySaml.get('/users/sessions'))
  expect(sessions).not.toContain(elsewhere.id)
  expect(JSON.stringify(await bySaml.get('/apikeys'))).not.toContain('of-alice')
  expect(problem(await bySaml.send('DELETE', '/apikeys/of-alice'))).toMatchObject({ status: 404 })
  expect(problem(await bySaml.send('GET', `/companies/${elsewhere.id}/users`))).toMatchObject({
    status: 404,
  })
  expect(JSON.stringify(await alice.get('/apikeys'))).toContain('of-alice')
  expect((await login(email)).status).toBe(200)
})

test('27: no second factor is asked for, and none is switched off without the password', async () => {
  const prefs = (mfaRequired: boolean) =>
    one.admin.send('POST', `/companies/${one.company.id}/auth/prefs`, { json: { mfaRequired } })
  await prefs(true)
  const email = newEmail('factor')
  const api = await one.enter({ email })
  expect(await api.get('/users/self')).toMatchObject({ identifier: email })
  for (const [path, form] of [
    ['/users/auth/mfa/enable', { email, password: '' }],
    ['/users/auth/mfa/disable', { email, password: '', token: '123456' }],
    ['/users/auth/mfa/forceDisable', { email }],
  ] as const)
    expect((await api.send('POST', path, { form })).status).toBeGreaterThanOrEqual(400)
  await prefs(false)
})

test('29: where SAML is off neither a response, a request nor a code lets anybody in', async () => {
  const email = newEmail('off')
  const { id, relayState } = await one.begin()
  const waiting = await one.post(one.build({ email: newEmail('early') }))
  expect(waiting.status).toBe(303)
  const off = await one.admin.send('POST', `/companies/${one.company.id}/auth/prefs`, {
    json: { samlEnabled: false },
  })
  expect(off.status).toBe(200)
  expect(problem(await one.exchange(waiting))).toEqual(refusedSso)
  const answered = () => one.build({ email, inResponseTo: id })
  await refusals.refused(email, 'settings', () => one.post(answered(), relayState))
  await refusals.refused(email, 'settings', () => one.post(one.build({ email })))
  await expect(one.begin()).rejects.toThrow('Invalid URL')
  await one.configure()
  expect(await one.post(one.build({ email }))).toMatchObject({ status: 303 })
})
