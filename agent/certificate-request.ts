import { webcrypto } from 'node:crypto'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

export interface KeyAndRequest {
  readonly keyPem: string
  /** PKCS #10. */
  readonly csrPem: string
}

/** Makes an EC P-256 key and a request for a certificate of this instance in this team. */
export async function createCertificateRequest(
  instanceId: string,
  teamId: string,
): Promise<KeyAndRequest> {
  // Needed once in twenty days, and 10 MB of memory; it resolves its parts through reflect-metadata.
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as never)
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [teamId] }, { CN: [instanceId] }],
    keys,
    signingAlgorithm: algorithm,
  })
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    keyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
    csrPem: request.toString('pem'),
  }
}
