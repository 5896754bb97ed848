import { createHash } from 'node:crypto'
import { keys } from './keys.ts'
import type { Redis } from './redis.ts'

/** A sign-in that began here, until the provider answers. */
export interface SamlRequest {
  readonly companyId: string
  /** Of the settings that it began with. */
  readonly version: string
  /** Where it goes on once it is complete. */
  readonly destination: string
  /** Present when it only tries the provider: then nobody is let in. */
  readonly testId?: string | undefined
}

/** Somebody whom a provider has vouched for, until the app asks for the session. */
export interface SamlTicket {
  readonly email: string
  readonly companyId: string
  readonly version: string
  /** SHA-256 of the certificate that the provider signed with. */
  readonly certificate: string
}

/** What lies between the steps of a sign-in with SAML. */
export interface SamlFlow {
  putRequest(id: string, request: SamlRequest): Promise<void>
  findRequest(id: string): Promise<SamlRequest | undefined>
  /** Uses a request up. True for exactly one of several who try. */
  takeRequest(id: string): Promise<boolean>
  /** True the first time that an assertion is seen. */
  seeAssertion(issuer: string, id: string, untilMs: number): Promise<boolean>
  putTicket(codeHash: string, ticket: SamlTicket): Promise<void>
  /** Gives a ticket to exactly one of several who try. */
  takeTicket(codeHash: string): Promise<SamlTicket | undefined>
}

/** How long a sign-in may take at the provider. */
export const requestMs = 10 * 60_000
const ticketMs = 60_000

/** Opens the store of sign-ins that are under way. */
export function openSamlFlow(redis: Redis): SamlFlow {
  return {
    async putRequest(id, request) {
      await redis.set(requestKey(id), JSON.stringify(request), 'PX', requestMs)
    },
    findRequest: async (id) => parsed(await redis.get(requestKey(id))) as SamlRequest | undefined,
    takeRequest: async (id) => (await redis.getdel(requestKey(id))) !== null,
    async seeAssertion(issuer, id, untilMs) {
      const key = keys.samlAssertion(hash(JSON.stringify([issuer, id])))
      return (await redis.set(key, '1', 'PXAT', untilMs, 'NX')) === 'OK'
    },
    async putTicket(codeHash, ticket) {
      await redis.set(keys.samlTicket(codeHash), JSON.stringify(ticket), 'PX', ticketMs)
    },
    takeTicket: async (codeHash) =>
      parsed(await redis.getdel(keys.samlTicket(codeHash))) as SamlTicket | undefined,
  }
}

/** What strangers send becomes part of no key. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function requestKey(id: string): string {
  return keys.samlRequest(hash(id))
}

function parsed(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text)
}
