/**
 * Makes a key and a request for a certificate, prints them as one JSON line and ends. Started as
 * `make-certificate-request.ts <instance id> <team id>`. A process of its own: it is needed once in
 * twenty days, and an agent that has done it itself keeps 6 MB of memory.
 */
import { webcrypto } from 'node:crypto'
// x509 resolves its parts through it, so it comes first.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import type { KeyAndRequest } from './certificate-request.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

const [instanceId = '', teamId = ''] = process.argv.slice(2)
x509.cryptoProvider.set(webcrypto as never)
const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
const request = await x509.Pkcs10CertificateRequestGenerator.create({
  name: [{ O: [teamId] }, { CN: [instanceId] }],
  keys,
  signingAlgorithm: algorithm,
})
const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
const made: KeyAndRequest = {
  keyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  csrPem: request.toString('pem'),
}
process.stdout.write(`${JSON.stringify(made)}\n`)
