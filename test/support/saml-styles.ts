import { createRequire } from 'node:module'
import { randomBytes } from 'node:crypto'
import type { SigningKey } from './saml-idp.ts'

/** Responses as well-known providers write them, signed by a library instead of the test's own code. */

interface Signer {
  addReference(options: {
    xpath: string
    digestAlgorithm: string
    transforms: readonly string[]
    inclusiveNamespacesPrefixList?: readonly string[]
  }): void
  computeSignature(
    xml: string,
    options: { prefix?: string; location: { reference: string; action: 'after' } },
  ): void
  getSignedXml(): string
}

const { SignedXml } = createRequire(import.meta.url)('xml-crypto') as {
  SignedXml: new (options: Record<string, unknown>) => Signer
}

/** Whom such a response names, and for whom it is. */
export interface StyledOptions {
  readonly issuer: string
  readonly acs: string
  readonly audience: string
  readonly email: string
  readonly inResponseTo: string
  readonly role: string
}

const assertionNs = 'urn:oasis:names:tc:SAML:2.0:assertion'
const protocolNs = 'urn:oasis:names:tc:SAML:2.0:protocol'
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const xs = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const iso = (inMinutes: number) => new Date(Date.now() + inMinutes * 60_000).toISOString()
const head = () => `ID="_${randomBytes(12).toString('hex')}" IssueInstant="${iso(0)}" Version="2.0"`

/** What all say inside of an assertion; `a` is the prefix with its colon, or nothing. */
function inside(a: string, given: StyledOptions, attribute: string, gap = ''): string {
  return [
    `<${a}Subject><${a}NameID Format="${emailFormat}">${given.email}</${a}NameID><${a}SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><${a}SubjectConfirmationData InResponseTo="${given.inResponseTo}" NotOnOrAfter="${iso(5)}" Recipient="${given.acs}"/></${a}SubjectConfirmation></${a}Subject>`,
    `<${a}Conditions NotBefore="${iso(-5)}" NotOnOrAfter="${iso(60)}"><${a}AudienceRestriction><${a}Audience>${given.audience}</${a}Audience></${a}AudienceRestriction></${a}Conditions>`,
    `<${a}AuthnStatement AuthnInstant="${iso(0)}" SessionIndex="_x"><${a}AuthnContext><${a}AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</${a}AuthnContextClassRef></${a}AuthnContext></${a}AuthnStatement>`,
    `<${a}AttributeStatement>${attribute}</${a}AttributeStatement>`,
  ].join(gap)
}

function okta(given: StyledOptions): string {
  const value = `<saml2:AttributeValue ${xs} ${xsi} xsi:type="xs:string">${given.role}</saml2:AttributeValue>`
  const attribute = `<saml2:Attribute Name="company:roles" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified">${value}</saml2:Attribute>`
  return (
    `<?xml version="1.0" encoding="UTF-8"?><saml2p:Response xmlns:saml2p="${protocolNs}" ${xs} Destination="${given.acs}" ${head()} InResponseTo="${given.inResponseTo}">` +
    `<saml2:Issuer xmlns:saml2="${assertionNs}" Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">${given.issuer}</saml2:Issuer>` +
    `<saml2p:Status xmlns:saml2p="${protocolNs}"><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></saml2p:Status>` +
    `<saml2:Assertion xmlns:saml2="${assertionNs}" ${xs} ${head()}><saml2:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">${given.issuer}</saml2:Issuer>${inside('saml2:', given, attribute)}</saml2:Assertion></saml2p:Response>`
  )
}

function entra(given: StyledOptions): string {
  const attribute = `<Attribute Name="http://schemas.microsoft.com/identity/claims/tenantid"><AttributeValue>x</AttributeValue></Attribute><Attribute Name="company:roles"><AttributeValue>${given.role}</AttributeValue></Attribute>`
  return (
    `<samlp:Response ${head()} Destination="${given.acs}" InResponseTo="${given.inResponseTo}" xmlns:samlp="${protocolNs}"><Issuer xmlns="${assertionNs}">${given.issuer}</Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>` +
    `<Assertion ${head()} xmlns="${assertionNs}"><Issuer>${given.issuer}</Issuer>${inside('', given, attribute)}</Assertion></samlp:Response>`
  )
}

/** With all names at the top and a line for each element, as Java writes it when asked to. */
function keycloak(given: StyledOptions): string {
  const value = `<saml:AttributeValue ${xs} ${xsi} xsi:type="xs:string">${given.role}</saml:AttributeValue>`
  const attribute = `\n  <saml:Attribute FriendlyName="roles" Name="company:roles" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic">${value}</saml:Attribute>\n`
  return (
    `<samlp:Response xmlns:samlp="${protocolNs}" xmlns:saml="${assertionNs}" Destination="${given.acs}" ${head()} InResponseTo="${given.inResponseTo}">\n` +
    `<saml:Issuer>${given.issuer}</saml:Issuer>\n<samlp:Status>\n  <samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>\n</samlp:Status>\n` +
    `<saml:Assertion xmlns="${assertionNs}" ${head()}>\n<saml:Issuer>${given.issuer}</saml:Issuer>\n${inside('saml:', given, attribute, '\r\n')}\n</saml:Assertion>\n</samlp:Response>\n`
  )
}

function sign(xml: string, name: string, key: SigningKey, prefix: string, inclusive: string[]) {
  const signer = new SignedXml({
    privateKey: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicCert: key.certificate,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: exclusive,
  })
  const xpath = `//*[local-name(.)='${name}']`
  signer.addReference({
    xpath,
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive],
    inclusiveNamespacesPrefixList: inclusive,
  })
  const location = { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' } as const
  signer.computeSignature(xml, { ...(prefix ? { prefix } : {}), location })
  return signer.getSignedXml()
}

/** Each style with what that provider signs. */
export const styles: Readonly<Record<string, (given: StyledOptions, key: SigningKey) => string>> = {
  'Okta: both signed, a prefix that only values use': (given, key) =>
    sign(sign(okta(given), 'Assertion', key, 'ds', ['xs']), 'Response', key, 'ds', ['xs']),
  'Entra ID: the assertion, names without prefix': (given, key) =>
    sign(entra(given), 'Assertion', key, '', []),
  'Keycloak: both, names at the top, lines': (given, key) =>
    sign(sign(keycloak(given), 'Assertion', key, 'dsig', []), 'Response', key, 'dsig', []),
  'Google: the response': (given, key) => sign(okta(given), 'Response', key, 'ds', []),
}
