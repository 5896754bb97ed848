import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient, ChangingHeader } from '../../shared/api/client.ts'
import { ApiError } from '../../shared/api/errors.ts'
import { renewSession, type Session } from '../../shared/api/sessions.ts'
import type { Credentials } from './credentials.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** Where the session is kept, and where it is of. */
export interface Kept {
  readonly baseUrl: string
  /** Locked while the session is renewed. */
  readonly folder: string
  /** A client of the same API that sends no token. */
  readonly anonymous: ApiClient
  read(): Credentials | undefined
  write(credentials: Credentials): void
}

/** A token that is good for less than this is renewed first, so that a command does not end in between. */
const marginMs = 60_000
/** The same request gets the same answer for ten seconds: so long a lost one is asked for again. */
const retryWithinMs = 8_000
const retryEveryMs = 500
/** Another command of this user renews; that is over by then. */
const lockWithinMs = 20_000
const lockEveryMs = 50

/** What is kept of a session. */
export function toCredentials(baseUrl: string, session: Session): Credentials {
  return {
    baseUrl,
    authorization: session.header,
    email: session.identifier,
    company: session.company_name,
    companyId: session.company_id,
    team: { id: session.org_id, name: session.org_name },
    expiresAt: session.expires_at,
    renewToken: session.renew_token,
    renewalKey: randomUUID(),
  }
}

/**
 * The header of the session that login has kept. It is renewed when it ends soon, by one command at a time;
 * what another command has renewed is used as well.
 */
export function storedSession(kept: Kept): ChangingHeader {
  return {
    async current() {
      const stored = readStored(kept)
      if (lifeMs(stored) > marginMs) return stored.authorization
      try {
        return (await renewAlone(kept, (now) => lifeMs(now) > marginMs)).authorization
      } catch (error) {
        // The company may have no renewal: the rest of its time is good.
        if (isOver(error) && lifeMs(stored) > 0) return stored.authorization
        throw isOver(error) ? notSignedIn('Your session has expired.') : error
      }
    },
    async instead(refused) {
      try {
        const isOther = ({ authorization }: Credentials) => authorization !== refused
        return (await renewAlone(kept, isOther)).authorization
      } catch (error) {
        if (isOver(error)) return undefined
        throw error
      }
    },
  }
}

/** Says how to sign in. */
export function notSignedIn(what: string): CliError {
  return new CliError(
    `${what} Run: temblor login --url <address> (or set TEMBLOR_URL and TEMBLOR_API_KEY).`,
    exitCodes.notSignedIn,
  )
}

function readStored(kept: Kept): Credentials {
  const stored = kept.read()
  // Another command may have signed out, or in elsewhere: a token goes to no server that did not issue it.
  if (stored?.baseUrl !== kept.baseUrl) throw notSignedIn('You are not signed in any more.')
  return stored
}

function lifeMs({ expiresAt }: Credentials): number {
  return Date.parse(expiresAt) - Date.now()
}

/** Renews and keeps the session, unless what is kept by then is good enough. @throws ApiError, TypeError */
async function renewAlone(
  kept: Kept,
  isGood: (stored: Credentials) => boolean,
): Promise<Credentials> {
  const lock = await takeLock(kept.folder)
  try {
    const stored = readStored(kept)
    if (isGood(stored)) return stored
    const renewed = toCredentials(kept.baseUrl, await renew(kept, stored))
    kept.write(renewed)
    return renewed
  } finally {
    lock.release()
  }
}

async function renew({ anonymous }: Kept, stored: Credentials): Promise<Session> {
  const { email, companyId, renewToken, renewalKey } = stored
  if (!companyId || !renewToken || !renewalKey)
    throw new ApiError('unauthenticated', 'The session cannot be renewed. Sign in again.')
  const startedAt = performance.now()
  let mayBeDone = false
  for (;;) {
    try {
      return await anonymous.call(renewSession, {
        body: { email, companyId, renewToken },
        headers: { 'idempotency-key': renewalKey },
      })
    } catch (error) {
      // Whether it was renewed is not known when the answer is lost.
      mayBeDone ||= isLost(error)
      const isOffline = error instanceof TypeError
      if (!isOffline || !mayBeDone || performance.now() - startedAt > retryWithinMs) throw error
      await sleep(retryEveryMs)
    }
  }
}

/** Whether the request may have arrived. */
function isLost(error: unknown): boolean {
  const { code } = (error instanceof TypeError ? error.cause : {}) as { code?: string }
  return !['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(code ?? '')
}

function isOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unauthenticated'
}

async function takeLock(folder: string): Promise<{ release(): void }> {
  const { lockFolder, LockedError } = await import('../host/lock.ts')
  const startedAt = performance.now()
  for (;;) {
    try {
      return lockFolder(folder)
    } catch (error) {
      const isHeld = error instanceof LockedError
      if (!isHeld || performance.now() - startedAt > lockWithinMs) throw error
      await sleep(lockEveryMs)
    }
  }
}
