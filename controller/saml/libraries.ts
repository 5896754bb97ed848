import { createRequire } from 'node:module'

/**
 * The libraries of SAML, with the parts of them that are used. Their own types bring those of browsers into
 * the whole program, where they contradict Node's. Each is loaded when it is first used: most controllers never need them.
 */
const require = createRequire(import.meta.url)

/** A node of a parsed document. */
export interface XmlNode {
  readonly nodeType: number
  readonly nodeValue: string | null
  readonly parentNode: XmlNode | null
  readonly firstChild: XmlNode | null
  readonly lastChild: XmlNode | null
  readonly nextSibling: XmlNode | null
}

export interface XmlElement extends XmlNode {
  readonly localName: string
  readonly namespaceURI: string | null
  readonly ownerDocument: object
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
}

type Report = (message: string) => void

interface Parser {
  parseFromString(
    text: string,
    mediaType: string,
  ): { readonly documentElement: XmlElement | null } | undefined
}

interface Verifier {
  loadSignature(signature: XmlElement): void
  checkSignature(text: string): boolean
  /** The canonical text of what the signature value is of; none of the element that it is about. */
  getCanonSignedInfoXml(document: object): string
  /** What the signature says of itself, once it is loaded. */
  readonly signatureAlgorithm: string
  readonly signatureValue: string
  findSignatureAlgorithm(name: string): {
    verifySignature(text: string, certificate: string, value: string): boolean
  }
  /** The canonical texts that were signed, once it is checked. */
  getSignedReferences(): string[]
}

/** Parses XML; what it reports is up to the handler. */
export function newParser(options: {
  errorHandler: { warning: Report; error: Report; fatalError: Report }
  locator: object
}): Parser {
  const { DOMParser } = require('@xmldom/xmldom') as {
    DOMParser: new (given: typeof options) => Parser
  }
  return new DOMParser(options)
}

/** Verifies one signature with one certificate. */
export function newVerifier(options: {
  publicCert?: string
  getCertFromKeyInfo: () => null
}): Verifier {
  const { SignedXml } = require('xml-crypto') as {
    SignedXml: new (given: typeof options) => Verifier
  }
  return new SignedXml(options)
}

interface Service {
  readonly Binding: string
  readonly Location: string
  readonly isDefault?: boolean
}

interface IdentityProvider {
  readonly entityMeta: object
}

/** What this service is to identity providers. */
export interface ServiceProvider {
  getMetadata(): string
  createLoginRequest(
    provider: IdentityProvider,
    binding: 'redirect',
    options: { relayState: string },
  ): { readonly id: string; readonly context: string }
}

interface Samlify {
  ServiceProvider(settings: {
    entityID: string
    authnRequestsSigned: boolean
    wantAssertionsSigned: boolean
    signingCert: string
    privateKey: string
    requestSignatureAlgorithm: string
    nameIDFormat: string[]
    assertionConsumerService: Service[]
  }): ServiceProvider
  IdentityProvider(settings: {
    entityID: string
    signingCert: string[]
    wantAuthnRequestsSigned: boolean
    requestSignatureAlgorithm: string
    singleSignOnService: Service[]
    singleLogoutService: Service[]
  }): IdentityProvider
  readonly SamlLib: {
    constructSAMLSignature(options: {
      rawSamlMessage: string
      referenceTagXPath: string
      privateKey: string
      signingCert: string
      signatureAlgorithm: string
      isBase64Output: false
      signatureConfig: { prefix: string; location: { reference: string; action: 'prepend' } }
    }): string
  }
}

/** Makes metadata and requests. */
export function samlify(): Samlify {
  return require('samlify') as Samlify
}
