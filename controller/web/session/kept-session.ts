import type { Session } from '../../../shared/api/sessions.ts'
import { randomKey } from '../api/random-key.ts'

/** What a tab keeps of a session. It is in no cookie, and gone with the tab. */
export interface KeptSession {
  readonly authorization: string
  readonly email: string
  readonly companyId: string
  readonly companyName: string
  readonly expiresAt: string
  /** From then on (epoch ms) it is renewed before it is used. */
  readonly renewFromMs: number
  readonly renewToken: string
  /** Tabs that renew the same session at once get the same answer by it. It stays, whatever tokens the session has. */
  readonly renewalKey: string
}

/** A token that is good for less than this is renewed first; of a short one the last third. */
const marginMs = 60_000

/** What is kept of a session that was opened or renewed. */
export function toKept(session: Session): KeptSession {
  const expiresMs = Date.parse(session.expires_at)
  return {
    authorization: session.header,
    email: session.identifier,
    companyId: session.company_id,
    companyName: session.company_name,
    expiresAt: session.expires_at,
    renewFromMs: expiresMs - Math.min(marginMs, (expiresMs - Date.now()) / 3),
    renewToken: session.renew_token,
    renewalKey: randomKey(),
  }
}
