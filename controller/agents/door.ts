import { experimental, type ServerCredentials } from '@grpc/grpc-js'
import { isId } from '../store/keys.ts'
import type { AgentSubject, Authority } from './authority.ts'
import type { AgentCall } from './stream.ts'

/** How agents get in, and how they are told apart. Only code can give another one than mutual TLS. */
export interface AgentDoor {
  readonly credentials: ServerCredentials
  /** Who is calling; undefined for nobody we know. */
  subjectOf(call: AgentCall): AgentSubject | undefined
}

export type OpenDoor = (authority: Authority) => Promise<AgentDoor>

/** TLS that asks for a client certificate and lets the calls decide whether they need one. */
export async function mutualTls(authority: Authority): Promise<AgentDoor> {
  const { certificatePem, keyPem } = await authority.issueControllerCertificate()
  const ca = { caCertificate: Buffer.from(authority.caCertificatePem) }
  // The chain holds the CA, so that an agent can compare it with its join line.
  const chain = Buffer.from(`${certificatePem}\n${authority.caCertificatePem}`)
  const identity = { certificate: chain, privateKey: Buffer.from(keyPem) }
  const provider: experimental.CertificateProvider = {
    addCaCertificateListener: (listener) => process.nextTick(() => listener(ca)),
    addIdentityCertificateListener: (listener) => process.nextTick(() => listener(identity)),
    removeCaCertificateListener: () => undefined,
    removeIdentityCertificateListener: () => undefined,
  }
  return {
    credentials: experimental.createCertificateProviderServerCredentials(provider, provider, false),
    subjectOf,
  }
}

/** Whom the client certificate names; undefined without one that our authority issued. */
function subjectOf(call: AgentCall): AgentSubject | undefined {
  const subject = call.getAuthContext().sslPeerCertificate?.subject
  const teamId = String(subject?.O ?? '')
  const instanceId = String(subject?.CN ?? '')
  return isId(teamId) && isId(instanceId) ? { teamId, instanceId } : undefined
}
