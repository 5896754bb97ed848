import {
  createHash,
  createSign,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

/**
 * A SAML identity provider that shares no code with the service: it writes its messages in canonical form
 * (attributes in order, each namespace where it is first used, no short tags) and signs that very text.
 */

x509.cryptoProvider.set(webcrypto as never)

const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol'
const assertionNs = 'urn:oasis:names:tc:SAML:2.0:assertion'
const signatureNs = 'http://www.w3.org/2000/09/xmldsig#'

/** An RSA key with a certificate. */
export interface SigningKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly certificate: string
}

export async function makeKey(name = 'CN=Test IdP'): Promise<SigningKey> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const keys = {
    privateKey: await webcrypto.subtle.importKey(
      'pkcs8',
      privateKey.export({ type: 'pkcs8', format: 'der' }),
      algorithm,
      true,
      ['sign'],
    ),
    publicKey: await webcrypto.subtle.importKey(
      'spki',
      publicKey.export({ type: 'spki', format: 'der' }),
      algorithm,
      true,
      ['verify'],
    ),
  }
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    keys,
  })
  return { privateKey, publicKey, certificate: certificate.toString('pem') }
}

/** What a response says; everything has a good default but who it is for. */
export interface ResponseOptions {
  readonly issuer: string
  readonly acs: string
  readonly audience: string | readonly string[]
  readonly email: string
  readonly format?: string
  readonly inResponseTo?: string | undefined
  /** Of the response alone. */
  readonly outerInResponseTo?: string | undefined
  readonly recipient?: string
  readonly destination?: string | null
  readonly attributes?: readonly (readonly [name: string, ...values: string[]])[]
  readonly status?: string
  readonly method?: string
  readonly issuedMs?: number
  readonly notBeforeMs?: number
  readonly notOnOrAfterMs?: number
  readonly confirmedUntilMs?: number
  readonly sessionUntilMs?: number
  readonly withoutConditions?: boolean
  /** Further conditions, as XML. */
  readonly conditions?: string
  readonly id?: string
}

export interface SignOptions {
  readonly what?: 'assertion' | 'response' | 'both' | 'none'
  readonly algorithm?: string
  readonly digest?: string
  readonly canonicalization?: string
  readonly transforms?: readonly string[]
  readonly keyInfo?: string
  /** Signs instead of the key. */
  readonly sign?: (text: string) => string
}

const minute = 60_000
const iso = (ms: number) => new Date(ms).toISOString()
const newId = () => `_${randomBytes(16).toString('hex')}`
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const quoted = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const order = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1)

/** An element in canonical form; attributes that are undefined are left out. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  content: string,
): string {
  const pairs = Object.entries(attributes).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  const declared = pairs.filter(([key]) => key.startsWith('xmlns'))
  const others = pairs.filter(([key]) => !key.startsWith('xmlns')).toSorted(order)
  const text = [...declared, ...others].map(([key, value]) => ` ${key}="${quoted(value)}"`)
  return `<${name}${text.join('')}>${content}</${name}>`
}

function assertionOf(given: ResponseOptions, id: string): string {
  const now = Date.now()
  const confirmation = element(
    'saml:SubjectConfirmation',
    { Method: given.method ?? 'urn:oasis:names:tc:SAML:2.0:cm:bearer' },
    element(
      'saml:SubjectConfirmationData',
      {
        InResponseTo: given.inResponseTo,
        NotOnOrAfter: iso(given.confirmedUntilMs ?? now + 5 * minute),
        Recipient: given.recipient ?? given.acs,
      },
      '',
    ),
  )
  const format = given.format ?? 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
  const nameId = element('saml:NameID', { Format: format }, escaped(given.email))
  const session = given.sessionUntilMs === undefined ? undefined : iso(given.sessionUntilMs)
  return element(
    'saml:Assertion',
    {
      'xmlns:saml': assertionNs,
      ID: id,
      IssueInstant: iso(given.issuedMs ?? now),
      Version: '2.0',
    },
    element('saml:Issuer', {}, escaped(given.issuer)) +
      element('saml:Subject', {}, nameId + confirmation) +
      (given.withoutConditions ? '' : conditionsOf(given, now)) +
      element('saml:AuthnStatement', { AuthnInstant: iso(now), SessionNotOnOrAfter: session }, '') +
      attributeStatement(given.attributes ?? []),
  )
}

function conditionsOf(given: ResponseOptions, now: number): string {
  const audiences = [given.audience].flat().map((one) => element('saml:Audience', {}, escaped(one)))
  const restriction = element('saml:AudienceRestriction', {}, audiences.join(''))
  const [from, until] = [
    given.notBeforeMs ?? now - minute,
    given.notOnOrAfterMs ?? now + 5 * minute,
  ]
  return element(
    'saml:Conditions',
    { NotBefore: iso(from), NotOnOrAfter: iso(until) },
    (audiences.length > 0 ? restriction : '') + (given.conditions ?? ''),
  )
}

function attributeStatement(attributes: NonNullable<ResponseOptions['attributes']>): string {
  if (attributes.length === 0) return ''
  const all = attributes.map(([name, ...values]) =>
    element(
      'saml:Attribute',
      { Name: name, NameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified' },
      values
        .map((value) =>
          element(
            'saml:AttributeValue',
            { 'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance', 'xsi:type': 'xs:string' },
            escaped(value),
          ),
        )
        .join(''),
    ),
  )
  return element('saml:AttributeStatement', {}, all.join(''))
}

function responseOf(given: ResponseOptions, assertion: string, id: string): string {
  const destination = given.destination === undefined ? given.acs : given.destination
  const status = given.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success'
  return element(
    'samlp:Response',
    {
      'xmlns:samlp': protocol,
      Destination: destination ?? undefined,
      ID: id,
      InResponseTo: 'outerInResponseTo' in given ? given.outerInResponseTo : given.inResponseTo,
      IssueInstant: iso(given.issuedMs ?? Date.now()),
      Version: '2.0',
    },
    element('saml:Issuer', { 'xmlns:saml': assertionNs }, escaped(given.issuer)) +
      element('samlp:Status', {}, element('samlp:StatusCode', { Value: status }, '')) +
      assertion,
  )
}

const digests: Record<string, string> = {
  'http://www.w3.org/2000/09/xmldsig#sha1': 'sha1',
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
}

/** The Signature of this canonical text, which has this id. */
function signatureOf(text: string, id: string, key: SigningKey, how: SignOptions): string {
  const algorithm = how.algorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
  const digest = how.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256'
  const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
  const transforms = how.transforms ?? [`${signatureNs}enveloped-signature`, exclusive]
  const value = createHash(digests[digest] ?? 'sha256')
    .update(text)
    .digest('base64')
  const info = (namespace: string | undefined) =>
    element(
      'ds:SignedInfo',
      { 'xmlns:ds': namespace },
      element('ds:CanonicalizationMethod', { Algorithm: how.canonicalization ?? exclusive }, '') +
        element('ds:SignatureMethod', { Algorithm: algorithm }, '') +
        element(
          'ds:Reference',
          { URI: `#${id}` },
          element(
            'ds:Transforms',
            {},
            transforms.map((one) => element('ds:Transform', { Algorithm: one }, '')).join(''),
          ) +
            element('ds:DigestMethod', { Algorithm: digest }, '') +
            element('ds:DigestValue', {}, value),
        ),
    )
  const hash = ['sha1', 'sha512'].find((one) => algorithm.endsWith(one)) ?? 'sha256'
  const sign =
    how.sign ?? ((signed: string) => createSign(hash).update(signed).sign(key.privateKey, 'base64'))
  return element(
    'ds:Signature',
    { 'xmlns:ds': signatureNs },
    info(undefined) +
      element('ds:SignatureValue', {}, sign(info(signatureNs))) +
      (how.keyInfo ?? ''),
  )
}

/** KeyInfo with a certificate. */
export function keyInfoOf({ certificate }: SigningKey): string {
  const body = certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  const held = element('ds:X509Data', {}, element('ds:X509Certificate', {}, body))
  return element('ds:KeyInfo', {}, held)
}

/** Puts a signature behind the first Issuer, where the schema wants it. */
function withSignature(text: string, signature: string): string {
  return text.replace('</saml:Issuer>', () => `</saml:Issuer>${signature}`)
}

/** A whole response as XML, signed as asked. */
export function buildResponse(
  key: SigningKey,
  given: ResponseOptions,
  how: SignOptions = {},
): string {
  const { what = 'assertion' } = how
  const [assertionId, responseId] = [given.id ?? newId(), newId()]
  const bare = assertionOf(given, assertionId)
  const isSigned = what === 'assertion' || what === 'both'
  const assertion = isSigned ? withSignature(bare, signatureOf(bare, assertionId, key, how)) : bare
  const response = responseOf(given, assertion, responseId)
  return what === 'response' || what === 'both'
    ? withSignature(response, signatureOf(response, responseId, key, how))
    : response
}
