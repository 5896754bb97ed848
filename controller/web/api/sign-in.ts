import { ApiError } from '../../../shared/api/errors.ts'
import {
  enableMfa,
  recoveryCodesIn,
  signInWithCode,
  validateMfa,
  type MfaSecret,
} from '../../../shared/api/mfa.ts'
import { login, type Session } from '../../../shared/api/sessions.ts'
import type { WebApi } from './create-api.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
  readonly companyName: string
}

/** Where a sign-in stands after the password. */
export type Standing =
  | { readonly kind: 'in'; readonly session: Session }
  /** A code is asked for. */
  | { readonly kind: 'code'; readonly ticket: string }
  /** A second factor must be set up first. */
  | { readonly kind: 'enrol'; readonly ticket: string }
  /** The user has teams of several companies. */
  | { readonly kind: 'company'; readonly names: readonly string[] }

/** One session for all teams of the company; requests name the team. */
const query = { getCompanySession: 'true' }

/** Signs in with a password, as far as that leads. @throws ApiError */
export async function signInWithPassword(
  { anonymous }: WebApi,
  { email, password, companyName }: Credentials,
): Promise<Standing> {
  const body = { email, password, companyName: companyName || null }
  try {
    return { kind: 'in', session: (await anonymous.call(login, { body, query })) as Session }
  } catch (error) {
    const standing = standingOf(error)
    if (standing) return standing
    throw error
  }
}

function standingOf(error: unknown): Standing | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { ticket, field, allowed } = error.details ?? {}
  if (error.code === 'mfa_required') return { kind: 'code', ticket: String(ticket) }
  if (error.code === 'mfa_enrolment_required') return { kind: 'enrol', ticket: String(ticket) }
  if (error.code === 'invalid_body' && field === 'companyName' && typeof allowed === 'string')
    return { kind: 'company', names: allowed.split(', ') }
  return undefined
}

/** Goes on with a code, or after an enrolment with the ticket alone. @throws ApiError */
export async function finishWithTicket(
  { anonymous }: WebApi,
  { email, companyName }: Credentials,
  ticket: string,
  code?: string,
): Promise<Standing> {
  const body = {
    email,
    ticket,
    companyName: companyName || null,
    ...(code === undefined ? {} : { token: code }),
  }
  try {
    const session = (await anonymous.call(signInWithCode, { body, query })) as Session
    return { kind: 'in', session }
  } catch (error) {
    const standing = standingOf(error)
    if (standing) return standing
    throw error
  }
}

/** A secret for an authenticator, which counts once a code proved it. @throws ApiError */
export async function beginEnrolment(
  { anonymous }: WebApi,
  email: string,
  ticket: string,
): Promise<MfaSecret> {
  return await anonymous.call(enableMfa, { body: { email, ticket } })
}

/** Proves it, and gives the recovery codes. @throws ApiError */
export async function finishEnrolment(
  { anonymous }: WebApi,
  email: string,
  ticket: string,
  code: string,
): Promise<string[]> {
  const text = await anonymous.call(validateMfa, { body: { email, ticket, token: code } })
  return recoveryCodesIn(text)
}
