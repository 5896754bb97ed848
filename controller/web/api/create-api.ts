import { createApiClient, type ApiClient } from '../../../shared/api/client.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { renewedHeader } from '../session/renewal.ts'
import type { SessionStore } from '../session/session-store.ts'

/** The API as the pages use it. */
export interface WebApi extends ApiClient {
  /** For what needs no session: signing in. */
  readonly anonymous: ApiClient
}

/** Makes the client of this tab. A session that is refused for good is forgotten, which leads to the sign-in page. */
export function createWebApi(sessions: SessionStore, origin = location.origin): WebApi {
  const baseUrl = `${origin}/v1`
  const anonymous = createApiClient({ baseUrl })
  const client = createApiClient({ baseUrl, authorization: renewedHeader(sessions, anonymous) })
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unauthenticated') sessions.end()
      throw error
    }
  }
  return {
    anonymous,
    call: (contract, input) => watched(client.call(contract, input)),
    open: (contract, input) => watched(client.open(contract, input)),
  }
}
