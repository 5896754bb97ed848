import { randomUUID } from 'node:crypto'
import type { Seal } from './seal.ts'

/** What a session is used and renewed with. Only its owner has it. */
export interface TokenPair {
  readonly token: string
  readonly renewToken: string
}

export function freshTokens(): TokenPair {
  return { token: randomUUID(), renewToken: randomUUID() }
}

/** The pair that one renewal gives, however often it is asked for: nothing has to be kept for that. */
export function derivedTokens(seal: Seal, renewToken: string, idempotencyKey: string): TokenPair {
  return {
    token: seal.deriveToken('token', renewToken, idempotencyKey),
    renewToken: seal.deriveToken('renew token', renewToken, idempotencyKey),
  }
}

/** What is kept of a pair. */
export function hashesOf(seal: Seal, { token, renewToken }: TokenPair) {
  return { tokenHash: seal.hashToken(token), renewHash: seal.hashToken(renewToken) }
}
