import { createHmac, createSign } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fuzzSaml } from '../fuzz/saml.ts'
import { request } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { shortestMs } from '../support/quickest.ts'
import { addSamlCompany, type SamlCompany } from '../support/saml-company.ts'
import { keyInfoOf, makeKey, type SigningKey } from '../support/saml-idp.ts'
import { forgetEarlier, refusalsOf, type Refusals } from '../support/saml-refusals.ts'
import { wrapped } from '../support/saml-wrapping.ts'

/**
 * Responses that nobody should get in with. Each is refused with the same answer, makes no user, role or code,
 * leaves a trace with the check that failed; and its untouched twin gets in.
 */

let controller: TestController
let one: SamlCompany
let refusals: Refusals
let stranger: SigningKey

beforeAll(async () => {
  controller = await startTestController()
  one = await addSamlCompany(controller, 'Hostile')
  refusals = refusalsOf(controller, one)
  stranger = await makeKey()
})
beforeEach(() => forgetEarlier(controller))
afterAll(() => controller?.[Symbol.asyncDispose]())

const strip = (xml: string) => xml.replaceAll(/<ds:Signature .*?<\/ds:Signature>/g, '')
const spki = () => one.key.publicKey.export({ type: 'spki', format: 'pem' }) as string
const doctype = (inner: string) => (xml: string) => `<!DOCTYPE r [${inner}]>${xml}`

describe('1: signatures that are wrapped', () => {
  test.each(
    (['assertion', 'response', 'both'] as const).flatMap((what) =>
      [1, 2, 3, 4, 5, 6, 7, 8].map((variant) => [what, variant] as const),
    ),
  )('signed %s, variant %i', async (what, variant) => {
    const evil = newEmail('evil')
    const email = newEmail('victim')
    const xml = one.build({ email, attributes: [['company:roles', 'COMPANY_USER']] }, { what })
    const hostile = wrapped(variant, xml, (text) =>
      text.replaceAll(email, evil).replaceAll('COMPANY_USER', 'COMPANY_OWNER'),
    )
    const before = await refusals.codes()
    expect(problem(await one.post(hostile))).toEqual({ status: 401, code: 'sso_refused' })
    expect(await refusals.codes()).toEqual(before)
    for (const address of [evil, email])
      expect(await controller.store.users.findByEmail(address)).toBeUndefined()
    expect(['structure', 'signature']).toContain((await one.failures())[0]?.check)
    expect(await one.post(xml)).toMatchObject({ status: 303 })
    expect(await one.placeOf(email)).toMatchObject({ roles: ['COMPANY_USER'] })
  })
})

describe('2: what is not signed', () => {
  test('no signature', async () => {
    expect(await refusals.twin('signature', strip)).toBe(303)
  })
  test('another address', async () => {
    expect(await refusals.twin('signature', (xml) => xml.replace('victim-', 'evil-'))).toBe(303)
  })
  test('a role more', async () => {
    expect(
      await refusals.twin('signature', (xml) => xml.replace('>COMPANY_USER<', '>COMPANY_OWNER<'), {
        attributes: [['company:roles', 'COMPANY_USER']],
      }),
    ).toBe(303)
  })
  test('of two signatures one is broken', async () => {
    expect(
      await refusals.twin(
        'signature',
        (xml) =>
          xml.replace(
            'Version="2.0"><saml:Issuer xmlns',
            'Version="2.0" Consent="x"><saml:Issuer xmlns',
          ),
        {},
        'both',
      ),
    ).toBe(303)
  })
  test('a condition that nobody understands', async () => {
    const email = newEmail('victim')
    const more = '<saml:Condition xmlns:x="urn:x" x:type="y"></saml:Condition>'
    const build = (extra: string) => one.build({ email, conditions: extra })
    await refusals.refused(email, 'audience', () => one.post(build(more)))
    expect(await one.post(build('<saml:OneTimeUse></saml:OneTimeUse>'))).toMatchObject({
      status: 303,
    })
  })
  test('the signature is of another element', async () => {
    expect(await refusals.twin('signature', (xml) => xml.replace(/URI="#_\w+"/, 'URI=""'))).toBe(
      303,
    )
  })
})

describe('3 and 4: other keys and algorithms', () => {
  const sha1 = 'http://www.w3.org/2000/09/xmldsig#sha1'
  const comments = 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments'
  const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
  test.each([
    ['a foreign key', () => ({ key: stranger })],
    ['a foreign key with its own KeyInfo', () => ({ key: stranger, keyInfo: keyInfoOf(stranger) })],
    [
      'a foreign key with the KeyInfo of the provider',
      () => ({ key: stranger, keyInfo: keyInfoOf(one.key) }),
    ],
    ['rsa-sha1', () => ({ algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' })],
    ['sha1 as digest', () => ({ digest: sha1 })],
    ['c14n with comments', () => ({ canonicalization: comments })],
    ['a transform with comments', () => ({ transforms: [enveloped, comments] })],
    ['XPath', () => ({ transforms: [enveloped, 'http://www.w3.org/TR/1999/REC-xpath-19991116'] })],
    ['XSLT', () => ({ transforms: ['http://www.w3.org/TR/1999/REC-xslt-19991116'] })],
    [
      'hmac-sha1 with the public key',
      () => ({
        algorithm: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
        sign: (text: string) => createHmac('sha1', spki()).update(text).digest('base64'),
      }),
    ],
    [
      'hmac-sha256 with the certificate',
      () => ({
        algorithm: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
        sign: (text: string) =>
          createHmac('sha256', one.key.certificate).update(text).digest('base64'),
      }),
    ],
    [
      'sha1 that says it is sha256',
      () => ({
        sign: (text: string) => createSign('sha1').update(text).sign(one.key.privateKey, 'base64'),
      }),
    ],
  ])('%s', async (_name, how) => {
    const email = newEmail('victim')
    const { key, ...rest } = how() as { key?: SigningKey }
    await refusals.refused(email, 'signature', () => one.post(one.build({ email }, rest, key)))
    const good = one.build({ email }, { keyInfo: keyInfoOf(stranger) })
    expect(await one.post(good)).toMatchObject({ status: 303 })
  })
})

test('200 responses, changed at random, let in nobody but those who were not', async () => {
  const report = await fuzzSaml(controller, { seed: 20_261_121, from: 0, count: 200 })
  expect(report).toMatchObject({ failures: [], damage: [], untouched: 20 })
  expect(report.byStatus[401]).toBeGreaterThan(150)
})

describe('5 and 6: XML that says more than it seems', () => {
  test.each([
    ['a processing instruction', (xml: string) => xml.replace('victim-', 'victim-<?x y?>')],
    ['CDATA', (xml: string) => xml.replace('victim-', '<![CDATA[victim-]]>')],
    [
      'an external entity',
      (xml: string) =>
        doctype('<!ENTITY x SYSTEM "file:///etc/hostname">')(xml).replace('victim-', '&x;'),
    ],
    ['a parameter entity', doctype('<!ENTITY % x SYSTEM "http://127.0.0.1:1/x"> %x;')],
    [
      'an entity bomb',
      (xml: string) =>
        doctype('<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">')(xml).replace('victim-', '&b;'),
    ],
    ['a document type alone', (xml: string) => `<!DOCTYPE Response>${xml}`],
    [
      'deep nesting',
      (xml: string) =>
        xml.replace(
          '<saml:AuthnStatement',
          `${'<a>'.repeat(9000)}${'</a>'.repeat(9000)}<saml:AuthnStatement`,
        ),
    ],
    [
      'deep nesting that values hide',
      (xml: string) =>
        xml.replace(
          '<saml:AuthnStatement',
          `${'<a b="/>">'.repeat(100)}${'</a>'.repeat(100)}<saml:AuthnStatement`,
        ),
    ],
    [
      'many elements',
      (xml: string) =>
        xml.replace('<saml:AuthnStatement', `${'<a></a>'.repeat(9000)}<saml:AuthnStatement`),
    ],
    [
      'a comment in a digest',
      (xml: string) => xml.replace('<ds:DigestValue>', '<ds:DigestValue><!--x-->'),
    ],
    ['two SignedInfo', (xml: string) => xml.replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/, '$&$&')],
    ['no end', (xml: string) => xml.slice(0, -5)],
    [
      'an element twice with one id',
      (xml: string) =>
        xml.replace(
          / ID="(_\w+)" IssueInstant="[^"]+" Version="2.0"><saml:Issuer>/,
          '$&<x ID="$1"></x>',
        ),
    ],
  ])('%s', async (_name, edit) => {
    expect(await refusals.twin('structure', edit)).toBe(303)
  })

  test('a comment in an address does not cut it', async () => {
    const email = newEmail('whole')
    const xml = one.build({ email }).replace('@example', '@exam<!--x-->ple')
    expect(await one.post(xml)).toMatchObject({ status: 303 })
    expect(await one.placeOf(email)).toBeDefined()
  })

  test.each([
    ['not base64', 'a*b'],
    ['UTF-16', Buffer.from('<a/>', 'utf16le').toString('base64').concat('/w==').slice(0, -4)],
    ['not UTF-8', Buffer.from([0x3c, 0xff, 0xfe]).toString('base64')],
    ['too much', Buffer.from('x'.repeat(140_000)).toString('base64')],
  ])('%s', async (_name, SAMLResponse) => {
    const form = { SAMLResponse, RelayState: `${one.company.name}|||${one.app}|||/` }
    const tookMs = await shortestMs(async () => {
      const answer = await request(controller.baseUrl, 'POST', '/v1/users/auth/saml/acs', { form })
      expect(problem(answer)).toEqual({ status: 401, code: 'sso_refused' })
    })
    expect(tookMs).toBeLessThan(1_000)
  })
})
