// @peculiar/x509 resolves its parts through reflect-metadata, which must be there first.
import 'reflect-metadata'
import { createHash, randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto as never)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const dayMs = 24 * 60 * 60_000

/** Certificates hold from one hour ago, so that a host whose clock is behind can start. */
const backdatedMs = 60 * 60_000

/** An agent's certificate lasts this long; it is renewed at two thirds. */
const agentCertificateDays = 30

/** The name in the controller's certificate; agents ask for it whatever address they dial. */
const controllerName = 'temblor-controller'

/** Makes the certificate authority that vouches for controllers and agents of one installation. */
export async function createAuthority(): Promise<{ caCertificatePem: string; caKeyPem: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=Temblor CA ${randomBytes(4).toString('hex')}`,
    ...validity(3650),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    caCertificatePem: certificate.toString('pem'),
    caKeyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  }
}

export interface Authority {
  readonly caCertificatePem: string
  /** A fresh key and certificate for a controller, made at each start and kept in memory only. */
  issueControllerCertificate(): Promise<{ certificatePem: string; keyPem: string }>
  /**
   * Signs an agent's request. The subject comes from us, never from the request.
   * @throws Error when the request is malformed, not signed with its own key, or not EC P-256
   */
  issueAgentCertificate(csrPem: string, subject: AgentSubject): Promise<string>
}

/** Whom an agent's certificate names. */
export interface AgentSubject {
  readonly teamId: string
  readonly instanceId: string
}

/** Opens the authority of the key file. */
export async function openAuthority(keyFile: {
  caCertificatePem: string
  caKeyPem: string
}): Promise<Authority> {
  const ca = new x509.X509Certificate(keyFile.caCertificatePem)
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(keyFile.caKeyPem),
    algorithm,
    false,
    ['sign'],
  )
  const sign = (
    subject: x509.JsonName,
    publicKey: x509.PublicKeyType,
    days: number,
    extensions: x509.Extension[],
  ) =>
    x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject,
      issuer: ca.subject,
      ...validity(days),
      signingAlgorithm: algorithm,
      publicKey,
      signingKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        ...extensions,
      ],
    })
  return {
    caCertificatePem: keyFile.caCertificatePem,
    async issueControllerCertificate() {
      const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      const certificate = await sign([{ CN: [controllerName] }], keys.publicKey, 365, [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: controllerName }]),
      ])
      const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
      return {
        certificatePem: certificate.toString('pem'),
        keyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
      }
    },
    async issueAgentCertificate(csrPem, subject) {
      const publicKey = await checkRequest(csrPem)
      const certificate = await sign(
        [{ O: [subject.teamId] }, { CN: [subject.instanceId] }],
        publicKey,
        agentCertificateDays,
        [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
      )
      return certificate.toString('pem')
    },
  }
}

/** The key of a request that proves to own it. */
async function checkRequest(csrPem: string): Promise<x509.PublicKey> {
  const request = readRequest(csrPem)
  const { name, namedCurve } = request.publicKey.algorithm as webcrypto.EcKeyAlgorithm
  if (name !== 'ECDSA' || namedCurve !== 'P-256') throw new Error('The key is not EC P-256.')
  if (!(await request.verify())) throw new Error('The request is not signed with its own key.')
  return request.publicKey
}

function readRequest(csrPem: string): x509.Pkcs10CertificateRequest {
  try {
    return new x509.Pkcs10CertificateRequest(csrPem)
  } catch (cause) {
    throw new Error('The certificate request cannot be read; it must be PKCS #10 in PEM.', {
      cause,
    })
  }
}

function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - backdatedMs), notAfter: new Date(now + days * dayMs) }
}

/** 16 random bytes with the top bit clear, as RFC 5280 §4.1.2.2 wants it (positive, unique). */
function serialNumber(): string {
  const digest = createHash('sha256').update(randomBytes(32)).digest('hex').slice(0, 31)
  return `1${digest}`
}
