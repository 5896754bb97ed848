import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SamlIdpMetadata } from '../../shared/api/saml.ts'
import type { SsoSetup, SsoTest } from '../../shared/api/sso.ts'
import { auditOf } from '../support/audit.ts'
import { request, type Answer } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addSamlCompany, requestIdIn, type SamlCompany } from '../support/saml-company.ts'
import { makeKey, type ResponseOptions, type SigningKey } from '../support/saml-idp.ts'
import { entityOf, metadataOf } from '../support/saml-metadata.ts'
import { forgetEarlier, refusalsOf } from '../support/saml-refusals.ts'
import { namesIn } from '../support/redis.ts'

/** What helps to set a provider up: what to copy, its metadata, a sign-in that changes nothing. */

let controller: TestController
let one: SamlCompany
let path: string
let next: SigningKey

beforeAll(async () => {
  controller = await startTestController()
  one = await addSamlCompany(controller, 'Setup')
  path = `/companies/${one.company.id}`
  next = await makeKey('CN=Next')
})
beforeEach(() => forgetEarlier(controller))
afterAll(() => controller?.[Symbol.asyncDispose]())

const locationOf = (answer: Answer) => answer.headers.get('location')
const state = async () => ({
  settings: await controller.store.signInSettings.read(one.company.id),
  members: (await controller.store.members.list(one.company.id)).toSorted((a, b) =>
    a.userId.localeCompare(b.userId),
  ),
  users: await controller.redis.hlen('temblor:user-ids'),
  sessions: (await namesIn(controller.redis, 'temblor:session:*')).toSorted(),
  codes: (await namesIn(controller.redis, 'temblor:saml-ticket:*')).toSorted(),
  failures: await one.failures(),
})

const readMetadata = (metadata: string) =>
  one.admin.send('POST', `${path}/saml/idp-metadata`, { form: { metadata } })

/** Begins a test; gives what the provider is sent. */
const start = async (destination?: string) => {
  const answer = await one.admin.send('POST', `${path}/sso/tests`, {
    json: { protocol: 'saml', destination },
  })
  const begun = answer.json as SsoTest
  const url = new URL(begun.url)
  const relay = url.searchParams.get('RelayState') ?? ''
  return { begun, id: requestIdIn(url), relay }
}
const resultOf = ({ testId }: SsoTest) => one.admin.get<SsoTest>(`${path}/sso/tests/${testId}`)

const answerTo = async (given: Partial<ResponseOptions>, edit = (xml: string) => xml) => {
  const { begun, id, relay } = await start()
  const answer = await one.post(edit(one.build({ inResponseTo: id, ...given })), relay)
  return { answer, result: await resultOf(begun) }
}

test('what to copy are the addresses that the metadata name, and they work', async () => {
  const { saml } = await one.admin.get<SsoSetup>(`${path}/sso/setup`)
  expect(saml).toMatchObject({ entityId: one.audience, acsUrl: one.acs })
  const metadata = await (await fetch(saml.metadataUrl)).text()
  expect(metadata).toContain(`Location="${saml.acsUrl}"`)
  expect(metadata).toContain(saml.certificate.replaceAll(/-----[A-Z ]+-----|\s/g, ''))
  expect(await one.post(one.build(), saml.relayState)).toMatchObject({ status: 303 })
  const begun = await fetch(saml.loginUrl, { redirect: 'manual' })
  expect(begun.headers.get('location')).toMatch(/^https:\/\/idp\.example\/sso\?SAMLRequest=/)
})

describe('metadata of a provider', () => {
  test.each([
    ['one entity', (text: string) => text],
    [
      'a list of one',
      (text: string) =>
        `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${text}</md:EntitiesDescriptor>`,
    ],
    ['a key for everything', (text: string) => text.replaceAll(/ use="\w+"/g, '')],
    ['comments', (text: string) => text.replace('<md:Key', '<!-- x --><md:Key')],
  ])('%s gives what is set, and sets nothing', async (_what, edit) => {
    const before = await state()
    const given = { entityId: one.issuer, url: 'https://idp.example/sso' }
    const answer = await readMetadata(edit(entityOf(one.key, given)))
    const { entityId, idpUrl, certificate, certificates } = answer.json as SamlIdpMetadata
    expect(certificates).toMatchObject([{ subject: 'CN=Test IdP' }])
    expect(await state()).toEqual(before)
    expect((await one.configure({ entityId, idpUrl, certificate })).status).toBe(200)
    expect(await one.post(one.build())).toMatchObject({ status: 303 })
  })

  test('both keys are there while they roll over', async () => {
    const answer = await readMetadata(metadataOf(one.key, { more: [next] }))
    const { certificate, certificates } = answer.json as SamlIdpMetadata
    expect(certificates.map(({ subject }) => subject)).toEqual(['CN=Test IdP', 'CN=Next'])
    await one.configure({ certificate })
    expect(await one.post(one.build({}, {}, next))).toMatchObject({ status: 303 })
    await one.configure()
  })

  test.each<[string, (text: string) => string]>([
    ['a document type', (text) => `<!DOCTYPE x [<!ENTITY a "b">]>${text}`],
    [
      'an external entity',
      (text) =>
        `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>${text.replace('https://idp', '&a;')}`,
    ],
    ['no XML', () => 'https://idp.example/metadata'],
    ['a service provider', (text) => text.replaceAll('IDPSSODescriptor', 'SPSSODescriptor')],
    [
      'two providers',
      (text) => `<x:EntitiesDescriptor xmlns:x="x">${text}${text}</x:EntitiesDescriptor>`,
    ],
    ['no certificate', (text) => text.replaceAll(/<md:KeyDescriptor.*?<\/md:KeyDescriptor>/gs, '')],
    ['a certificate that is none', (text) => text.replaceAll(/MII/g, 'AAA')],
    ['no redirect', (text) => text.replaceAll('HTTP-Redirect', 'SOAP')],
    ['another address', (text) => text.replaceAll('https://idp.example/sso', 'javascript:x')],
    ['no entity id', (text) => text.replace(/ entityID="[^"]+"/, '')],
    ['ourselves', (text) => text.replace('https://idp.example"', `${one.audience}"`)],
    ['depth', (text) => text.replace('<md:Key', `${'<a>'.repeat(999)}<md:Key`)],
  ])('with %s are refused', async (_what, edit) => {
    const before = await state()
    const text = entityOf(one.key)
    const bad = edit(text)
    expect(bad).not.toBe(text)
    expect(problem(await readMetadata(bad))).toEqual({ status: 400, code: 'invalid_body' })
    expect(await state()).toEqual(before)
    expect((await readMetadata(text)).status).toBe(200)
  })
})

describe('a sign-in that changes nothing', () => {
  test('tells what it would have done, whether SAML is on or not, and who it was', async () => {
    await one.configure({ enabled: 'false' })
    const [email, known] = [newEmail('tried'), newEmail('known')]
    await controller.add(one.company.id, { email: known, roles: ['COMPANY_MANAGER'] })
    const before = await state()
    const attributes = [
      ['company:roles', 'COMPANY_OWNER'],
      ['team:roles', 'payments;TEAM_USER'],
      ['department', 'Élan'],
    ] as [string, ...string[]][]
    const entries = await auditOf(() => one.admin).leaves(async () => {
      const { answer, result } = await answerTo({ email, attributes })
      expect(answer.status).toBe(303)
      expect(result).toMatchObject({
        state: 'PASSED',
        check: null,
        came: {
          isProven: true,
          issuer: one.issuer,
          email,
          claims: attributes.map(([name, ...values]) => ({ name, values })),
        },
        outcome: {
          isNewMember: true,
          before: null,
          after: {
            roles: ['COMPANY_OWNER'],
            teams: [{ identifier: one.team.id, name: 'Payments', roles: ['TEAM_USER'] }],
          },
        },
      })
    }, 1)
    expect(entries).toMatchObject([{ action: 'company.sso-test', result: 'ok' }])
    const { result } = await answerTo({
      email: known,
      attributes: [['company:roles', 'COMPANY_USER']],
    })
    expect(result.outcome).toMatchObject({
      isNewMember: false,
      before: { roles: ['COMPANY_MANAGER'], teams: [] },
      after: { roles: ['COMPANY_USER'], teams: [] },
    })
    expect(await state()).toEqual(before)
    expect(await controller.store.users.findByEmail(email)).toBeUndefined()
    await one.configure()
    await one.enter({ email, attributes })
    expect(await one.placeOf(email)).toEqual({
      roles: ['COMPANY_OWNER'],
      teams: { [one.team.id]: ['TEAM_USER'] },
    })
  })

  test.each<[string, string, Partial<ResponseOptions>, boolean]>([
    ['another audience', 'audience', { audience: 'https://other.example' }, true],
    ['claims that nobody understands', 'claims', { attributes: [['company:roles', 'BOSS']] }, true],
    ['a provider that says no', 'status', { status: 'urn:x:AuthnFailed' }, false],
  ])('tells which check failed: %s', async (_what, check, given, isProven) => {
    const before = await state()
    const { answer, result } = await answerTo({ email: newEmail('refused'), ...given })
    expect(answer.status).toBe(303)
    expect(result).toMatchObject({ state: 'REFUSED', check, outcome: null, came: { isProven } })
    expect(result.reason).toBeTruthy()
    expect(await state()).toEqual(before)
    expect((await answerTo({})).result.state).toBe('PASSED')
  })

  test('does not take for proven what nobody has signed', async () => {
    const { result } = await answerTo({ email: newEmail('forged') }, (xml) =>
      xml.replace('forged-', 'evil-'),
    )
    expect(result).toMatchObject({
      state: 'REFUSED',
      check: 'signature',
      came: { isProven: false, email: expect.stringMatching(/^evil-/) as string },
    })
  })

  test('is over once it was answered, and never lets anybody in', async () => {
    const { begun, id, relay } = await start('/company/security?tab=sso')
    expect(await resultOf(begun)).toMatchObject({ state: 'WAITING', came: null })
    const email = newEmail('twice')
    const xml = one.build({ email, inResponseTo: id })
    const where = `/company/security?tab=sso&ssoTest=${begun.testId}`
    expect(locationOf(await one.post(xml, relay))).toBe(`${controller.baseUrl}${where}`)
    const refusals = refusalsOf(controller, one)
    await refusals.refused(email, 'in_response_to', () => one.post(xml, relay))
    const { id: ofLogin } = await one.begin()
    const real = one.build({ email, inResponseTo: ofLogin })
    expect(locationOf(await one.post(real, relay))).toContain('SamlSessionCode=')
  })

  test('is nothing to other companies, and leads nowhere else', async () => {
    const other = await addSamlCompany(controller, 'Other', one.key)
    const { begun, id, relay } = await start('https://evil.example')
    const ofOther = `/companies/${other.company.id}/sso/tests/${begun.testId}`
    expect(problem(await other.admin.send('GET', ofOther))).toEqual({
      status: 404,
      code: 'sso_test_not_found',
    })
    const answer = await one.post(one.build({ inResponseTo: id }), relay)
    expect(locationOf(answer)).toBe(`${controller.baseUrl}/?ssoTest=${begun.testId}`)
  })

  test('needs a provider', async () => {
    const company = await controller.store.companies.addCompany(newEmail('Plain'))
    const admin = await controller.join(company, {
      email: newEmail('admin'),
      roles: ['COMPANY_ADMIN'],
    })
    const json = { protocol: 'saml' }
    const answer = await admin.send('POST', `/companies/${company.id}/sso/tests`, { json })
    expect(problem(answer)).toEqual({ status: 400, code: 'not_supported' })
    const unknown = await request(controller.baseUrl, 'GET', `/v1${path}/sso/setup`)
    expect(problem(unknown)).toMatchObject({ status: 401 })
  })
})
