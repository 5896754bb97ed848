import { createHash } from 'node:crypto'
import { createCertificateRequest } from '../../agent/certificate-request.ts'
import type { AgentSubject, Authority } from '../../controller/agents/authority.ts'

/** Whom a virtual agent is. */
export interface Identity extends AgentSubject {
  readonly index: number
  /** The name of its host. */
  readonly identifier: string
  readonly keyPem: string
  /** Empty for a fleet without TLS. */
  readonly certificatePem: string
}

export interface FleetNames {
  readonly teamId: string
  /** Starts the names of the hosts; a fleet of the same name is the same hosts. */
  readonly name: string
  readonly agents: number
}

/** The identities of a fleet without certificates. */
export function plainIdentities(names: FleetNames): Identity[] {
  return Array.from({ length: names.agents }, (_, index) => ({
    ...subjectOf(names, index),
    index,
    identifier: identifierOf(names, index),
    keyPem: '',
    certificatePem: '',
  }))
}

/**
 * The identities of a fleet, each with a certificate of its own, as `Enrol` gives them. All have one key:
 * that is what makes ten thousand of them quick.
 */
export async function issueIdentities(
  names: FleetNames,
  authority: Authority,
): Promise<Identity[]> {
  const { keyPem, csrPem } = await createCertificateRequest(names.name, names.teamId)
  const identities: Identity[] = []
  for (const plain of plainIdentities(names))
    identities.push({
      ...plain,
      keyPem,
      certificatePem: await authority.issueAgentCertificate(csrPem, plain),
    })
  return identities
}

function subjectOf({ teamId, name }: FleetNames, index: number): AgentSubject {
  const hex = createHash('sha256').update(`${teamId} ${name} ${index}`).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`]
  return { teamId, instanceId: [...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-') }
}

function identifierOf({ name, agents }: FleetNames, index: number): string {
  return `${name}-${String(index).padStart(String(agents - 1).length, '0')}`
}
