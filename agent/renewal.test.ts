import { randomUUID, webcrypto, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { expect, it } from 'vitest'
import type { AgentMessage } from '../proto/gen/temblor/agent/v1/AgentMessage.ts'
import { certificateTimes, readCredentials, type AgentCredentials } from './identity.ts'
import { Renewal } from './renewal.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const hourMs = 3_600_000

/** A certificate of which this share of its life (30 h) is over. */
async function certificateAged(share: number): Promise<string> {
  x509.cryptoProvider.set(webcrypto as never)
  const startMs = Date.now() - share * 30 * hourMs
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=agent',
    notBefore: new Date(startMs),
    notAfter: new Date(startMs + 30 * hourMs),
    signingAlgorithm: algorithm,
    keys: await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
  })
  return certificate.toString('pem')
}

async function startRenewal(share: number) {
  const stateDir = mkdtempSync(join(tmpdir(), 'temblor-renewal-'))
  const certificatePem = await certificateAged(share)
  const credentials: AgentCredentials = {
    address: '127.0.0.1:1',
    teamId: randomUUID(),
    caPem: '',
    certificatePem,
    keyPem: 'old',
  }
  const asked = Promise.withResolvers<AgentMessage>()
  const renewal = new Renewal(stateDir, randomUUID(), credentials)
  const stop = renewal.watch((message) => asked.resolve(message))
  return { stateDir, renewal, stop, asked: asked.promise }
}

it('asks for a new certificate at two thirds and uses it from then on', async () => {
  const { stateDir, renewal, stop, asked } = await startRenewal(0.67)
  expect((await asked).renewCertificate?.csrPem).toContain('CERTIFICATE REQUEST')
  const fresh = await certificateAged(0)
  renewal.received(fresh)
  expect(renewal.credentials.certificatePem).toBe(fresh)
  expect(renewal.credentials.keyPem).toContain('PRIVATE KEY')
  expect(readCredentials(stateDir)).toEqual(renewal.credentials)
  stop()
})

it('does not ask earlier, and takes no certificate that it did not ask for', async () => {
  const { renewal, stop, asked } = await startRenewal(0.65)
  const before = renewal.credentials
  renewal.received(await certificateAged(0))
  expect(renewal.credentials).toBe(before)
  expect(await Promise.race([asked, Promise.resolve('nothing')])).toBe('nothing')
  stop()
})

it('keeps its certificate when what it is given is none, or is over', async () => {
  for (const wrong of ['', '-----BEGIN CERTIFICATE-----', await certificateAged(1.1)]) {
    const { renewal, stop, asked } = await startRenewal(0.67)
    await asked
    const before = renewal.credentials
    renewal.received(wrong)
    expect(renewal.credentials).toBe(before)
    stop()
  }
})

it('uses a new certificate that it cannot store yet', async () => {
  const { stateDir, renewal, stop, asked } = await startRenewal(0.67)
  await asked
  rmSync(stateDir, { recursive: true })
  writeFileSync(stateDir, '')
  const fresh = await certificateAged(0)
  renewal.received(fresh)
  stop()
  expect(renewal.credentials.certificatePem).toBe(fresh)
  rmSync(stateDir)
  renewal.watch(() => undefined)()
  expect(readCredentials(stateDir)).toEqual(renewal.credentials)
})

it('knows when a certificate ends', async () => {
  const pem = await certificateAged(0)
  const { endsMs, renewMs } = certificateTimes(pem)
  expect(endsMs).toBe(Date.parse(new X509Certificate(pem).validTo))
  expect(endsMs - renewMs).toBe(10 * hourMs)
})
