import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Seal } from '../auth/seal.ts'
import { SsoRefusal } from '../auth/sso-refusal.ts'
import { requestSeconds } from '../store/oauth.ts'
import type { Ties } from './provider.ts'

const name = 'oauth_state'

/** A text that ties a sign-in to one browser. */
export function newState(): string {
  return randomBytes(32).toString('base64url')
}

/** What follows from the state with the key of this service, so that none of it has to be kept. */
export function tiesOf(seal: Seal, state: string): Ties {
  return {
    state,
    verifier: seal.hashToken(`oauth verifier ${state}`),
    nonce: seal.hashToken(`oauth nonce ${state}`),
  }
}

/** By what the state is known in the store. */
export function stateHash(seal: Seal, state: string): string {
  return seal.hashToken(`oauth state ${state}`)
}

/** The header that gives a browser the state. It comes back with what the provider leads to, and no script sees it. */
export function stateCookie(state: string, siteUrl: string): string {
  return `${name}=${state}; Max-Age=${requestSeconds}; ${attributes(siteUrl)}`
}

/** The header that takes it back. */
export function noStateCookie(siteUrl: string): string {
  return `${name}=; Max-Age=0; ${attributes(siteUrl)}`
}

function attributes(siteUrl: string): string {
  const secure = siteUrl.startsWith('https:') ? '; Secure' : ''
  return `Path=/v1/oauth; HttpOnly; SameSite=Lax${secure}`
}

/**
 * The state that a browser holds. Two of them are as good as none: one could be somebody else's.
 * @throws SsoRefusal `state`
 */
export function stateIn(cookies: string | undefined): string {
  const found = (cookies ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1).replaceAll('"', ''))
  const [state = ''] = found
  if (state === '') throw new SsoRefusal('state', 'The browser sent no cookie oauth_state.')
  if (found.length > 1)
    throw new SsoRefusal('state', 'The browser sent more than one cookie oauth_state.')
  return state
}

/** Whether two texts are the same, in the same time whether they are or not. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
