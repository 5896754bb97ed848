// @peculiar/x509 resolves its parts through reflect-metadata, which must be there first.
import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { samlify, type ServiceProvider } from './libraries.ts'
import type { Pace } from './pace.ts'
import type { SamlSigner, SamlSignerStore } from '../store/saml-signer.ts'
import type { SamlSettings } from '../store/sign-in-settings.ts'
import { emailFormat, httpPost, httpRedirect, rsaSha256 } from './names.ts'

x509.cryptoProvider.set(webcrypto as never)

const yearMs = 365 * 86_400_000
const rsa = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const

/** The addresses of this service provider; all companies have the same. */
export interface SamlAddresses {
  readonly entityId: string
  readonly acs: string
  /** Where the app takes over; the browser is sent nowhere else. */
  readonly app: string
}

/** The addresses of a service that others reach at `siteUrl`. */
export function samlAddresses(siteUrl: string): SamlAddresses {
  const base = `${siteUrl}/v1/users/auth/saml`
  return {
    entityId: `${base}/metadata`,
    acs: `${base}/acs`,
    app: `${siteUrl}/users/sso/saml/acs`,
  }
}

/** This installation as a SAML service provider. */
export interface SamlProvider {
  /** The metadata, signed. */
  metadata(): Promise<string>
  /** PEM, with which metadata and requests are signed. */
  certificate(): Promise<string>
  /**
   * A signed request to sign in: its id, and the address that carries it to the identity provider.
   * @throws ApiError `too_many_logins`
   */
  request(saml: SamlSettings, relayState: string): Promise<{ id: string; url: string }>
}

/**
 * Makes the service provider. What it signs with is made when it is first needed. Requests are made at this pace:
 * each costs a signature, and anybody may ask for one.
 */
export function createSamlProvider(
  signers: SamlSignerStore,
  siteUrl: () => string,
  pace: Pace,
): SamlProvider {
  let made: Made | undefined
  // Anybody may ask for metadata and requests: what stays the same is made and signed once.
  const read = async (): Promise<Made> => {
    const signer = await signers.read(makeSigner)
    const site = siteUrl()
    const isSame = made?.site === site && made.signer.certificatePem === signer.certificatePem
    if (made && isSame) return made
    const provider = serviceProvider(signer, samlAddresses(site))
    made = { site, signer, provider, metadata: signMetadata(provider.getMetadata(), signer) }
    return made
  }
  return {
    metadata: async () => (await read()).metadata,
    certificate: async () => (await read()).signer.certificatePem,
    async request(saml, relayState) {
      const { provider } = await read()
      const { id, context } = await pace.run(() =>
        provider.createLoginRequest(identityProvider(saml), 'redirect', { relayState }),
      )
      return { id, url: context }
    },
  }
}

interface Made {
  readonly site: string
  readonly signer: SamlSigner
  readonly provider: ServiceProvider
  readonly metadata: string
}

function serviceProvider({ certificatePem, keyPem }: SamlSigner, addresses: SamlAddresses) {
  return samlify().ServiceProvider({
    entityID: addresses.entityId,
    authnRequestsSigned: true,
    wantAssertionsSigned: true,
    signingCert: certificatePem,
    privateKey: keyPem,
    requestSignatureAlgorithm: rsaSha256,
    nameIDFormat: [emailFormat],
    assertionConsumerService: [{ Binding: httpPost, Location: addresses.acs, isDefault: true }],
  })
}

/** Never made of the provider's own metadata: whether requests are signed is ours to say. */
function identityProvider({ entityId, url, certificates }: SamlSettings) {
  return samlify().IdentityProvider({
    entityID: entityId,
    signingCert: [...certificates],
    wantAuthnRequestsSigned: true,
    requestSignatureAlgorithm: rsaSha256,
    singleSignOnService: [{ Binding: httpRedirect, Location: url }],
    // Not used; without one the library writes to the console.
    singleLogoutService: [{ Binding: httpRedirect, Location: url }],
  })
}

function signMetadata(metadata: string, { certificatePem, keyPem }: SamlSigner): string {
  const root = "/*[local-name(.)='EntityDescriptor']"
  const id = `_${randomBytes(16).toString('hex')}`
  return samlify().SamlLib.constructSAMLSignature({
    rawSamlMessage: metadata.replace('<EntityDescriptor ', `<EntityDescriptor ID="${id}" `),
    referenceTagXPath: root,
    privateKey: keyPem,
    // Without the lines around it, which the library adds itself.
    signingCert: certificatePem.replaceAll(/-----[A-Z ]+-----|\s/g, ''),
    signatureAlgorithm: rsaSha256,
    isBase64Output: false,
    signatureConfig: { prefix: 'ds', location: { reference: root, action: 'prepend' } },
  })
}

async function makeSigner(): Promise<SamlSigner> {
  const keys = await webcrypto.subtle.generateKey(rsa, true, ['sign', 'verify'])
  const now = Date.now()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `00${randomBytes(15).toString('hex')}`,
    name: 'CN=Temblor SAML',
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + 10 * yearMs),
    signingAlgorithm: rsa,
    keys,
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    certificatePem: certificate.toString('pem'),
    keyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  }
}
