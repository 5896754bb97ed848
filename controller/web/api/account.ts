import { queryOptions } from '@tanstack/react-query'
import { listApiKeys } from '../../../shared/api/api-keys.ts'
import {
  disableMfa,
  enableMfa,
  readMfaInfo,
  recoveryCodesIn,
  validateMfa,
  type MfaSecret,
} from '../../../shared/api/mfa.ts'
import { listSessions } from '../../../shared/api/own-sessions.ts'
import { listOwnSessions, type OwnSession } from '../../../shared/api/sessions.ts'
import type { WebApi } from './create-api.ts'

/** Whether the own second factor is on. */
export function mfaQuery(api: WebApi) {
  return queryOptions({
    queryKey: ['mfa'],
    queryFn: ({ signal }) => api.call(readMfaInfo, { signal }),
  })
}

/** The own keys. */
export function keysQuery(api: WebApi) {
  return queryOptions({
    queryKey: ['keys', 'own'],
    queryFn: ({ signal }) => api.call(listApiKeys, { signal }),
  })
}

/** Where somebody is signed in. */
export function sessionsQuery(api: WebApi) {
  return queryOptions({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => api.call(listSessions, { signal }),
  })
}

/** The session of this tab as the server has it. */
export function ownSessionQuery(api: WebApi) {
  return queryOptions({
    queryKey: ['own-session'],
    queryFn: async ({ signal }) => {
      const query = { getCompanySession: 'true' }
      return (await api.call(listOwnSessions, { query, signal })) as OwnSession
    },
  })
}

/** A secret for an authenticator; a session is not enough, the password is asked for. */
export async function proposeFactor(
  { anonymous }: WebApi,
  email: string,
  password: string,
): Promise<MfaSecret> {
  return await anonymous.call(enableMfa, { body: { email, password } })
}

/** Proves the secret; gives the recovery codes. */
export async function proveFactor(
  { anonymous }: WebApi,
  email: string,
  code: string,
): Promise<string[]> {
  return recoveryCodesIn(await anonymous.call(validateMfa, { body: { email, token: code } }))
}

/** Switches the own second factor off, which ends all own sessions. */
export async function switchFactorOff(
  { anonymous }: WebApi,
  given: { readonly email: string; readonly password: string; readonly token: string },
): Promise<void> {
  await anonymous.call(disableMfa, { body: given })
}
