import type { Store } from '../store/store.ts'
import type { Seal } from './seal.ts'

/** What an Authorization header shows, as it is hashed. */
export interface ShownCredential {
  readonly kind: 'session' | 'key'
  readonly token: string
}

/** Reads the header; undefined for what cannot be a session or key. */
export function shownIn(authorization: string): ShownCredential | undefined {
  const [, key] = /^Key ([0-9a-f]{64})$/i.exec(authorization) ?? []
  // A key is the same in capitals.
  if (key) return { kind: 'key', token: key.toLowerCase() }
  const [, token] = /^Bearer ([0-9a-f-]{36})$/i.exec(authorization) ?? []
  return token ? { kind: 'session', token } : undefined
}

/** The id of the session or key that is shown, however it is written; undefined when there is none such. */
export async function idOfShown(
  { store, seal }: { readonly store: Store; readonly seal: Seal },
  authorization: string,
): Promise<string | undefined> {
  const shown = shownIn(authorization)
  if (!shown) return undefined
  const place = shown.kind === 'key' ? store.apiKeys : store.sessions
  return (await place.find(seal.hashToken(shown.token)))?.id
}
