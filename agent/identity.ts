import { randomUUID, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder, writeDurably } from './host/durable-file.ts'

/** What an agent needs to open a session. The enrolment secret is not kept. */
export interface AgentCredentials {
  /** `host:port` of the controller's agent port. */
  readonly address: string
  readonly teamId: string
  readonly caPem: string
  readonly certificatePem: string
  readonly keyPem: string
}

/** The id of this agent's instance, made at its first start and never again. */
export function readInstanceId(stateDir: string): string {
  const path = join(stateDir, 'instance-id')
  const known = readIfThere(path)?.trim()
  if (known) return known
  makePrivateFolder(stateDir)
  const id = randomUUID()
  writeDurably(path, id)
  return id
}

/** The stored credentials, or undefined when this agent has not joined a team. */
export function readCredentials(stateDir: string): AgentCredentials | undefined {
  const text = readIfThere(credentialsPath(stateDir))
  return text === undefined ? undefined : (JSON.parse(text) as AgentCredentials)
}

/** Stores credentials, readable by this user only. */
export function saveCredentials(stateDir: string, credentials: AgentCredentials): void {
  makePrivateFolder(stateDir)
  writeDurably(credentialsPath(stateDir), JSON.stringify(credentials))
}

/** When a certificate ends, and when two thirds of its life are over (epoch ms). */
export function certificateTimes(certificatePem: string): { endsMs: number; renewMs: number } {
  const certificate = new X509Certificate(certificatePem)
  const startsMs = Date.parse(certificate.validFrom)
  const endsMs = Date.parse(certificate.validTo)
  return { endsMs, renewMs: startsMs + ((endsMs - startsMs) * 2) / 3 }
}

function credentialsPath(stateDir: string): string {
  return join(stateDir, 'credentials.json')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
