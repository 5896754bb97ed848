import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAuthority, openAuthority, type Authority } from './authority.ts'

const subject = {
  teamId: '11111111-1111-4111-8111-111111111111',
  instanceId: '22222222-2222-4222-8222-222222222222',
}
const p256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000

async function makeRequest(name: string, algorithm = p256): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name,
    keys,
    signingAlgorithm: algorithm,
  })
  return csr.toString('pem')
}

describe('the certificate authority', () => {
  let ca: X509Certificate
  let authority: Authority
  beforeAll(async () => {
    const keys = await createAuthority()
    ca = new X509Certificate(keys.caCertificatePem)
    authority = await openAuthority(keys)
  })

  it('names the team and the instance that enrolled, whatever the request says', async () => {
    const csr = await makeRequest('CN=somebody-else, O=another-team')
    const issued = new X509Certificate(await authority.issueAgentCertificate(csr, subject))
    expect(issued.subject.split('\n').sort()).toEqual([
      `CN=${subject.instanceId}`,
      `O=${subject.teamId}`,
    ])
    expect(issued.verify(ca.publicKey)).toBe(true)
    expect(issued.ca).toBe(false)
  })

  it('lets agent certificates last 30 days, from one hour ago', async () => {
    const csr = await makeRequest('CN=x')
    const issued = new X509Certificate(await authority.issueAgentCertificate(csr, subject))
    expect(Date.now() - Date.parse(issued.validFrom)).toBeGreaterThan(3_500_000)
    const days = (Date.parse(issued.validTo) - Date.now()) / dayMs
    expect(days).toBeCloseTo(30, 1)
  })

  it('refuses other kinds of keys and requests that are none', async () => {
    const p384 = await makeRequest('CN=x', { ...p256, namedCurve: 'P-384' })
    await expect(authority.issueAgentCertificate(p384, subject)).rejects.toThrow(/P-256/)
    await expect(authority.issueAgentCertificate('nonsense', subject)).rejects.toThrow(
      /cannot be read/,
    )
  })

  it('gives the controller the name that agents ask for', async () => {
    const { certificatePem } = await authority.issueControllerCertificate()
    const certificate = new X509Certificate(certificatePem)
    expect(certificate.checkHost('temblor-controller')).toBe('temblor-controller')
    expect(certificate.verify(ca.publicKey)).toBe(true)
  })
})
