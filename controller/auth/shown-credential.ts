import type { ApiKeyRecord } from '../store/api-keys.ts'
import type { SessionRecord } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Seal } from './seal.ts'

/** What an Authorization header shows, as it is hashed. */
interface ShownCredential {
  readonly kind: 'session' | 'key'
  readonly token: string
}

/** Reads the header; undefined for what cannot be a session or key. */
function shownIn(authorization: string): ShownCredential | undefined {
  const [, key] = /^Key ([0-9a-f]{64})$/i.exec(authorization) ?? []
  // A key is the same in capitals.
  if (key) return { kind: 'key', token: key.toLowerCase() }
  const [, token] = /^Bearer ([0-9a-f-]{36})$/i.exec(authorization) ?? []
  return token ? { kind: 'session', token } : undefined
}

/** The session or key that was shown, as it was when it was looked up. */
export type FoundCredential =
  | { readonly kind: 'session'; readonly record: SessionRecord }
  | { readonly kind: 'key'; readonly record: ApiKeyRecord }

/** The keyed hash by which what a header shows is known; undefined for what cannot be a session or key. */
export function hashShown(seal: Seal, authorization: string): string | undefined {
  const shown = shownIn(authorization)
  return shown && seal.hashToken(shown.token)
}

/** Whether it still holds is for the caller to judge. Undefined when there is none such. */
export async function findShown(
  { store, seal }: { readonly store: Store; readonly seal: Seal },
  authorization: string,
): Promise<FoundCredential | undefined> {
  const shown = shownIn(authorization)
  if (!shown) return undefined
  const hash = seal.hashToken(shown.token)
  if (shown.kind === 'key') {
    const record = await store.apiKeys.find(hash)
    return record && { kind: 'key', record }
  }
  const record = await store.sessions.find(hash)
  return record && { kind: 'session', record }
}
