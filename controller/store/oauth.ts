import type { SsoMethod } from '../../shared/api/sign-in-failures.ts'
import type { RoleClaims } from '../auth/claims.ts'
import { keys } from './keys.ts'
import type { Redis } from './redis.ts'

/** Of which provider: that of the company, or the public one of the installation. */
export type OAuthMethod = Exclude<SsoMethod, 'saml'>

/** A sign-in that began here, until the provider sends the browser back. */
export interface OAuthRequest {
  readonly companyId: string
  readonly method: OAuthMethod
  /** Of the settings that it began with. */
  readonly version: string
  /** Where a browser goes on; without one the callback answers the access token. */
  readonly redirectUri: string | undefined
  /** It only tries the provider; nobody is let in then. */
  readonly test: OAuthTest | undefined
}

/** A sign-in that changes nothing. */
export interface OAuthTest {
  readonly id: string
  /** Path of the app that the browser ends at. */
  readonly destination: string
}

/** Somebody whom a provider has vouched for, until the session is asked for. */
export interface OAuthTicket {
  readonly companyId: string
  readonly method: OAuthMethod
  readonly version: string
  readonly email: string
  readonly claims: RoleClaims | undefined
  /** Of the account at the public provider, which has the address and is known to. */
  readonly domain: string | undefined
  /** Of the state of the browser that must ask; undefined where the answer goes elsewhere. */
  readonly stateHash: string | undefined
}

/** What lies between the steps of a sign-in with OAuth. */
export interface OAuthFlow {
  putRequest(stateHash: string, request: OAuthRequest): Promise<void>
  findRequest(stateHash: string): Promise<OAuthRequest | undefined>
  /** Gives a request to exactly one of several who try. */
  takeRequest(stateHash: string): Promise<OAuthRequest | undefined>
  putTicket(hash: string, ticket: OAuthTicket, forSeconds: number): Promise<void>
  findTicket(hash: string): Promise<OAuthTicket | undefined>
  /** Gives a ticket to exactly one of several who try. */
  takeTicket(hash: string): Promise<OAuthTicket | undefined>
}

/** How long somebody may take at the provider. */
export const requestSeconds = 600

/** Opens the store of sign-ins that are under way. */
export function openOAuthFlow(redis: Redis): OAuthFlow {
  return {
    async putRequest(stateHash, request) {
      const text = JSON.stringify(request)
      await redis.set(keys.oauthRequest(stateHash), text, 'EX', requestSeconds)
    },
    findRequest: async (hash) => toRequest(await redis.get(keys.oauthRequest(hash))),
    takeRequest: async (hash) => toRequest(await redis.getdel(keys.oauthRequest(hash))),
    async putTicket(hash, ticket, forSeconds) {
      await redis.set(keys.oauthTicket(hash), JSON.stringify(ticket), 'EX', forSeconds)
    },
    findTicket: async (hash) => toTicket(await redis.get(keys.oauthTicket(hash))),
    takeTicket: async (hash) => toTicket(await redis.getdel(keys.oauthTicket(hash))),
  }
}

function toRequest(text: string | null): OAuthRequest | undefined {
  return text === null ? undefined : (JSON.parse(text) as OAuthRequest)
}

function toTicket(text: string | null): OAuthTicket | undefined {
  return text === null ? undefined : (JSON.parse(text) as OAuthTicket)
}
