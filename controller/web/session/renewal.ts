import type { ApiClient, ChangingHeader } from '../../../shared/api/client.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { renewSession } from '../../../shared/api/sessions.ts'
import { isPassing } from '../api/error-words.ts'
import { toKept, type KeptSession } from './kept-session.ts'
import type { SessionStore } from './session-store.ts'

/**
 * The header of the session of this tab, renewed when it ends soon. What is asked for meanwhile waits for the
 * same renewal: a renew_token is good once.
 */
export function renewedHeader(sessions: SessionStore, anonymous: ApiClient): ChangingHeader {
  let running: Promise<KeptSession> | undefined
  const renewed = (old: KeptSession) => {
    running ??= renew(anonymous, old)
      .then((session) => {
        sessions.renew(old, session)
        return session
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
  return {
    async current() {
      const session = sessions.current()
      if (!session) throw new ApiError('unauthenticated', 'Sign in first.')
      if (Date.now() < session.renewFromMs) return session.authorization
      try {
        return (await renewed(session)).authorization
      } catch (error) {
        // The company may have no renewal: the rest of its time is good.
        if (isOver(error) && lifeMs(session) > 0) return session.authorization
        throw isOver(error) ? new ApiError('unauthenticated', 'The session has ended.') : error
      }
    },
    async instead(refused) {
      const session = sessions.current()
      if (!session) return undefined
      if (session.authorization !== refused) return session.authorization
      try {
        return (await renewed(session)).authorization
      } catch (error) {
        if (isOver(error)) return undefined
        throw error
      }
    },
  }
}

async function renew(anonymous: ApiClient, old: KeptSession): Promise<KeptSession> {
  const { email, companyId, renewToken, renewalKey } = old
  const session = await anonymous.call(renewSession, {
    body: { email, companyId, renewToken },
    headers: { 'idempotency-key': renewalKey },
  })
  // Tabs that renewed at once renew the next one alike, too: otherwise the second of them would end it for all.
  return { ...toKept(session), renewalKey }
}

function lifeMs({ expiresAt }: KeptSession): number {
  return Date.parse(expiresAt) - Date.now()
}

/** Refused for good, as a session that has ended or that this server never opened. */
function isOver(error: unknown): boolean {
  return error instanceof ApiError && !isPassing(error)
}
