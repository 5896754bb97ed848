import type { ApiKeyRecord } from '../store/api-keys.ts'
import type { SessionRecord } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Seal } from './seal.ts'

/** What an Authorization header shows, and the keyed hash by which it is known. */
export interface ShownCredential {
  readonly kind: 'session' | 'key'
  readonly hash: string
}

/** Reads the header; undefined for what cannot be a session or key. */
export function readShown(seal: Seal, authorization: string): ShownCredential | undefined {
  const [, key] = /^Key ([0-9a-f]{64})$/i.exec(authorization) ?? []
  // A key is the same in capitals.
  if (key) return { kind: 'key', hash: seal.hashToken(key.toLowerCase()) }
  const [, token] = /^Bearer ([0-9a-f-]{36})$/i.exec(authorization) ?? []
  return token ? { kind: 'session', hash: seal.hashToken(token) } : undefined
}

/** The session or key that was shown, as it was when it was looked up. */
export type FoundCredential =
  | { readonly kind: 'session'; readonly record: SessionRecord }
  | { readonly kind: 'key'; readonly record: ApiKeyRecord }

/** Whether it still holds is for the caller to judge. Undefined when there is none such. */
export async function findShown(
  store: Store,
  { kind, hash }: ShownCredential,
): Promise<FoundCredential | undefined> {
  if (kind === 'key') {
    const record = await store.apiKeys.find(hash)
    return record && { kind: 'key', record }
  }
  const record = await store.sessions.find(hash)
  return record && { kind: 'session', record }
}
