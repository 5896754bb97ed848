import type { AgentMessage } from '../proto/gen/temblor/agent/v1/AgentMessage.ts'
import { createCertificateRequest } from './certificate-request.ts'
import { certificateTimes, saveCredentials, type AgentCredentials } from './identity.ts'

const checkEveryMs = 60_000

/**
 * Renews the agent's certificate over its session when two thirds of its life are over. The session
 * goes on with the old one; the next connection uses the new one.
 */
export class Renewal {
  readonly #stateDir: string
  readonly #instanceId: string
  #credentials: AgentCredentials
  #keyPem: string | undefined
  #isStored = true

  constructor(stateDir: string, instanceId: string, credentials: AgentCredentials) {
    this.#stateDir = stateDir
    this.#instanceId = instanceId
    this.#credentials = credentials
  }

  get credentials(): AgentCredentials {
    return this.#credentials
  }

  /** Asks for a new certificate over this session as soon as it is time. @returns ends it */
  watch(send: (message: AgentMessage) => void): () => void {
    this.#keyPem = undefined
    const check = () => {
      if (!this.#isStored) this.#store()
      const isDue = Date.now() >= certificateTimes(this.#credentials.certificatePem).renewMs
      if (isDue && this.#keyPem === undefined) void this.#ask(send)
    }
    check()
    const timer = setInterval(check, checkEveryMs)
    return () => clearInterval(timer)
  }

  /** Stores the answer, with the key it belongs to. What is no certificate that lasts is not put in place of one. */
  received(certificatePem: string): void {
    const keyPem = this.#keyPem
    this.#keyPem = undefined
    if (!keyPem || !lasts(certificatePem)) return
    this.#credentials = { ...this.#credentials, certificatePem, keyPem }
    this.#store()
  }

  /** On a disk without room it is tried again: the old certificate lasts for a while. */
  #store(): void {
    try {
      saveCredentials(this.#stateDir, this.#credentials)
      this.#isStored = true
    } catch {
      this.#isStored = false
    }
  }

  async #ask(send: (message: AgentMessage) => void): Promise<void> {
    this.#keyPem = ''
    const made = await createCertificateRequest(this.#instanceId, this.#credentials.teamId)
    this.#keyPem = made.keyPem
    send({ renewCertificate: { csrPem: made.csrPem } })
  }
}

function lasts(certificatePem: string): boolean {
  try {
    return certificateTimes(certificatePem).endsMs > Date.now()
  } catch {
    return false
  }
}
