import { createVerify, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../../shared/api/sessions.ts'
import { auditOf } from '../support/audit.ts'
import { temblorJson } from '../support/command.ts'
import { request } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addSamlCompany, type SamlCompany } from '../support/saml-company.ts'
import { makeKey } from '../support/saml-idp.ts'
import { styles } from '../support/saml-styles.ts'

/** Sign-ins that succeed, what they change, and what an admin may set. */

let controller: TestController
let one: SamlCompany

beforeAll(async () => {
  controller = await startTestController()
  one = await addSamlCompany(controller, 'One')
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const read = () => request(controller.baseUrl, 'GET', '/v1/users/auth/saml/metadata?companyName=x')
const certificate = (text: string) => /<(?:\w+:)?X509Certificate>([^<]+)</.exec(text)?.[1]
const roles = (...values: string[]) => ['company:roles', ...values] as const
const renew = ({ identifier, company_id, renew_token }: Session) =>
  request(controller.baseUrl, 'POST', '/v1/users/renew/rbac', {
    form: { email: identifier, companyId: company_id, renewToken: renew_token },
  })

test('the metadata name the addresses, the same key each time, and are signed', async () => {
  const [first, second] = [await read(), await read()]
  expect(first.headers.get('content-type')).toMatch(/^application\/xml/)
  expect(first.text).toContain(`entityID="${one.audience}"`)
  expect(first.text).toContain(`Location="${one.acs}"`)
  expect(first.text).toContain('AuthnRequestsSigned="true"')
  expect(first.text).toMatch(/<EntityDescriptor ID="_\w+"[^>]*><ds:Signature /)
  expect(certificate(first.text)).toBe(certificate(second.text))
})

test('a sign-in begins with a signed request and ends with a session of the company', async () => {
  const { id, url, relayState } = await one.begin('/attacks?x=1')
  expect(url.origin + url.pathname).toBe('https://idp.example/sso')
  expect(relayState).toBe(`${one.company.name}|||${one.app}|||/attacks?x=1`)
  const metadata = await request(controller.baseUrl, 'GET', '/v1/users/auth/saml/metadata')
  const [, body = ''] = /<(?:\w+:)?X509Certificate>([^<]+)</.exec(metadata.text) ?? []
  const [signed = ''] = url.search.slice(1).split('&Signature=')
  const { publicKey } = new X509Certificate(Buffer.from(body, 'base64'))
  const signature = url.searchParams.get('Signature') ?? ''
  expect(createVerify('sha256').update(signed).verify(publicKey, signature, 'base64')).toBe(true)
  const email = newEmail('Begins')
  const answer = await one.post(one.build({ email, inResponseTo: id }), relayState)
  expect(answer).toMatchObject({ status: 303, text: '' })
  expect(answer.headers.get('location')).toMatch(
    /\/users\/sso\/saml\/acs\?SamlSessionCode=[\w-]{43}&destination=%2Fattacks%3Fx%3D1$/,
  )
  const opened = await one.exchange(answer)
  expect(opened).toMatchObject({
    status: 200,
    json: { identifier: email.toLowerCase(), company_id: one.company.id, roles: ['COMPANY_USER'] },
  })
  expect(problem(await one.exchange(answer))).toEqual({ status: 401, code: 'sso_refused' })
})

test.each(['assertion', 'response', 'both'] as const)('what is signed: %s', async (what) => {
  const email = newEmail('signed')
  const api = await one.enter({ email }, { what })
  expect(await api.get('/users/self')).toMatchObject({ identifier: email })
})

test.each(Object.entries(styles))('as %s', async (_name, build) => {
  const email = newEmail('styled')
  const { id, relayState } = await one.begin()
  const { issuer, acs, audience, key } = one
  const role = 'COMPANY_MANAGER'
  const given = { issuer, acs, audience, email, inResponseTo: id, role }
  const xml = build(given, key)
  const tampered = await one.post(xml.replace(`>${role}<`, '>COMPANY_OWNER<'), relayState)
  expect(problem(tampered)).toEqual({ status: 401, code: 'sso_refused' })
  expect((await one.failures())[0]).toMatchObject({ check: 'signature', email })
  const answer = await one.post(xml, relayState)
  expect((await one.exchange(answer)).json).toMatchObject({ identifier: email, roles: [role] })
})

test('a refusal is in the audit, with the check that failed', async () => {
  const email = newEmail('told')
  const entry = await auditOf(() => one.admin).leavesOne(() =>
    one.post(one.build({ email, recipient: 'https://other.example' })),
  )
  expect(entry).toMatchObject({
    action: 'session.saml',
    result: 'refused',
    code: 'recipient',
    actor: { kind: 'claimed', name: email },
  })
})

describe('claims', () => {
  test.each([
    ['team:roles', 'Payments;TEAM_USER,TEAM_VIEWER'],
    ['team:Payments', 'TEAM_USER', 'TEAM_VIEWER'],
    ['team:payments', 'TEAM_USER, TEAM_VIEWER'],
  ])(
    '%s %s makes the user with these roles, and the next claim replaces them',
    async (...teams) => {
      const email = newEmail('claims')
      const attributes = [roles('COMPANY_USER', 'COMPANY_MANAGER'), teams as [string, ...string[]]]
      const api = await one.enter({ email, attributes })
      expect(api.session.teams).toMatchObject([
        { name: 'Payments', roles: ['TEAM_USER', 'TEAM_VIEWER'] },
      ])
      expect(await one.placeOf(email)).toEqual({
        roles: ['COMPANY_USER', 'COMPANY_MANAGER'],
        teams: { [one.team.id]: ['TEAM_USER', 'TEAM_VIEWER'] },
      })
      await one.enter({ email, attributes: [roles('COMPANY_USER')] })
      expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_USER'], teams: {} })
    },
  )

  test('a team is named by its id; the audit tells old and new roles', async () => {
    const email = newEmail('audited')
    const attributes = [roles('COMPANY_OWNER'), ['team:roles', `${one.team.id};TEAM_USER`]] as const
    const entries = await auditOf(() => one.admin).leaves(() => one.enter({ email, attributes }), 2)
    expect(entries).toMatchObject([
      {
        action: 'session.saml',
        result: 'ok',
        detail: {
          old: { roles: null, teams: null },
          new: { roles: ['COMPANY_OWNER'], teams: { [one.team.id]: ['TEAM_USER'] } },
        },
      },
      { action: 'session.login', result: 'ok' },
    ])
    await one.enter({ email, attributes: [roles('COMPANY_USER')] })
    expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_USER'], teams: {} })
  })

  test('without claims roles stay, unless the company requires them', async () => {
    const email = newEmail('without')
    await one.enter({ email, attributes: [roles('COMPANY_MANAGER')] })
    await one.enter({ email })
    expect(await one.placeOf(email)).toEqual({ roles: ['COMPANY_MANAGER'], teams: {} })
    await one.configure({ claimsForced: 'True' })
    expect(problem(await one.post(one.build({ email })))).toEqual({
      status: 401,
      code: 'sso_refused',
    })
    expect((await one.failures())[0]).toMatchObject({ check: 'claims', email })
    await one.enter({ email, attributes: [roles('COMPANY_USER')] })
    await one.configure({ claimsForced: 'False' })
  })
})

describe('who comes in by a provider', () => {
  test('has a session of its company alone and changes no password', async () => {
    const email = newEmail('both')
    const other = await controller.store.companies.addCompany(newEmail('Other'))
    await controller.join(other, { email })
    const api = await one.enter({ email })
    expect(await api.get('/users/self')).toMatchObject({ company_id: one.company.id })
    const form = {
      currentPassword: 'correct horse battery staple',
      newPassword: 'another long password',
    }
    expect(problem(await api.send('PUT', '/users/auth/password', { form }))).toMatchObject({
      code: 'method_disabled',
    })
    expect(problem(await api.send('GET', `/companies/${other.id}`))).toMatchObject({ status: 404 })
  })

  test('acts in the oldest team unless a query names another, and in none without', async () => {
    const email = newEmail('teams')
    const younger = await controller.store.companies.addTeam(one.company, newEmail('younger'))
    const attributes = [
      roles('COMPANY_USER'),
      ['team:roles', `${younger.id};TEAM_USER`, `${one.team.id};TEAM_VIEWER`],
    ] as [string, ...string[]][]
    const api = await one.enter({ email, attributes })
    const orgOf = async (query = '') =>
      (await api.get<{ org_id: string; privileges: string[] }>(`/users/self${query}`)).org_id
    expect(await orgOf()).toBe(one.team.id)
    expect(await orgOf(`?teamId=${younger.id}`)).toBe(younger.id)
    expect(problem(await api.send('POST', '/attacks/new', { json: {} }))).toMatchObject({
      status: 403,
    })
    await one.enter({ email, attributes: [roles('COMPANY_USER')] })
    expect(await orgOf()).toBe(one.company.id)
  })

  test('is nobody in other companies, whatever roles the same address has there', async () => {
    const [email, bob] = [newEmail('alice'), newEmail('bob')]
    const other = await controller.store.companies.addCompany(newEmail('Other'))
    const alice = await controller.join(other, { email, roles: ['COMPANY_OWNER'] })
    await controller.add(other.id, { email: bob })
    await controller.add(one.company.id, { email: bob })
    const bySaml = await one.enter({ email, attributes: [roles('COMPANY_OWNER')] })
    const reset = { form: { email: bob } }
    const answer = await bySaml.send('POST', '/users/auth/mfa/forceDisable', reset)
    expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
    expect((await alice.send('POST', '/users/auth/mfa/forceDisable', reset)).status).toBe(200)
  })

  test('does not come back once revoked', async () => {
    const email = newEmail('revoked')
    await one.enter({ email })
    const path = `/companies/${one.company.id}/users/${email}/active`
    expect((await one.admin.send('DELETE', path)).status).toBeLessThan(300)
    expect(problem(await one.post(one.build({ email })))).toEqual({
      status: 401,
      code: 'sso_refused',
    })
    expect((await one.failures())[0]).toMatchObject({ check: 'access', email })
  })

  test('renews while the company has SAML', async () => {
    const { session } = await one.enter()
    const renewed = await renew(session)
    expect(renewed.status).toBe(200)
    await one.configure({ enabled: 'false' })
    expect(problem(await renew(renewed.json as Session))).toMatchObject({ status: 401 })
    await one.configure()
  })
})

describe('settings', () => {
  test.each([
    ['idpUrl', 'http://idp.example/sso'],
    ['idpUrl', 'javascript:alert(1)'],
    ['entityId', 'two words'],
    ['certificate', 'nonsense'],
    ['enabled', 'perhaps'],
  ])('%s cannot be %s', async (field, value) => {
    const before = await controller.store.signInSettings.read(one.company.id)
    const answer = await one.configure({ [field]: value })
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
    expect(answer.text).toContain(field)
    expect(await controller.store.signInSettings.read(one.company.id)).toEqual(before)
  })

  test('certificates roll over: each of several is good', async () => {
    const next = await makeKey()
    const both = `${one.key.certificate}\n${next.certificate}`
    expect((await one.configure({ certificate: both })).status).toBe(200)
    for (const key of [one.key, next])
      expect((await one.post(one.build({}, {}, key))).status).toBe(303)
    await one.configure()
    expect(problem(await one.post(one.build({}, {}, next)))).toMatchObject({ status: 401 })
  })

  test('passwords are switched off once an owner came in, and the provider stays', async () => {
    const two = await addSamlCompany(controller, 'Two')
    const prefs = (json: object) =>
      two.admin.send('POST', `/companies/${two.company.id}/auth/prefs`, { json })
    const refused = { status: 409, code: 'would_lock_out' }
    const owner = {
      email: newEmail('owner'),
      attributes: [['company:roles', 'COMPANY_OWNER']] as const,
    }
    expect(problem(await prefs({ passwordEnabled: false }))).toEqual(refused)
    expect(problem(await two.configure({ forced: 'true' }))).toEqual(refused)
    await two.enter({})
    expect(problem(await prefs({ passwordEnabled: false }))).toEqual(refused)
    await two.enter(owner)
    expect((await prefs({ passwordEnabled: false })).status).toBe(200)
    expect(problem(await prefs({ samlEnabled: false }))).toEqual(refused)
    expect(problem(await two.configure({ entityId: 'https://other.example' }))).toEqual(refused)
    const next = await makeKey()
    expect(problem(await two.configure({ certificate: next.certificate }))).toEqual(refused)
    const both = `${two.key.certificate}${next.certificate}`
    expect((await two.configure({ certificate: both })).status).toBe(200)
    await two.enter(owner)
    expect((await prefs({ passwordEnabled: true })).status).toBe(200)
    expect((await prefs({ samlForced: true })).status).toBe(200)
    await expect(controller.join(two.company, { email: newEmail('password') })).rejects.toThrow(
      'invalid_credentials',
    )
    await temblorJson(
      ['admin', 'company', 'reset-sign-in', two.company.name],
      controller.environment,
    )
    await controller.join(two.company, { email: newEmail('again') })
  })
})
