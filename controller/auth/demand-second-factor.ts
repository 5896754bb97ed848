import { randomBytes } from 'node:crypto'
import type { AuthPreferences } from '../../shared/api/auth-preferences.ts'
import { ApiError } from '../../shared/api/errors.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import { ticketMs } from '../store/mfa-tickets.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'
import type { Seal } from './seal.ts'

/**
 * Lets only users pass who need no second factor. Of sign-ins with a password alone: a provider of identities asks
 * for what it wants itself.
 * @throws ApiError `mfa_required` for who has one, `mfa_enrolment_required` for who must have one, with a ticket
 */
export async function demandSecondFactor(
  deps: { readonly store: Store; readonly seal: Seal },
  known: {
    readonly user: User
    readonly organisations: readonly { readonly preferences: AuthPreferences }[]
  },
): Promise<void> {
  const { user, organisations } = known
  const factor = await deps.store.mfa.find(user.id)
  if (factor)
    throw new ApiError(
      'mfa_required',
      'The password is right; a code of your authenticator is needed as well. Send it with the ticket to POST /users/auth/mfa/auth.',
      { details: await giveTicket(deps, user, factor.id) },
    )
  if (organisations.some(({ preferences }) => preferences.mfaRequired))
    throw new ApiError(
      'mfa_enrolment_required',
      'The password is right; the company asks for a second factor, and you have none. Set one up with the ticket: POST /users/auth/mfa/enable, then /users/auth/mfa/validate.',
      { details: await giveTicket(deps, user, '') },
    )
}

async function giveTicket(
  { store, seal }: { readonly store: Store; readonly seal: Seal },
  { id, epoch }: User,
  factorId: string,
): Promise<{ ticket: string; expires_at: string }> {
  const ticket = randomBytes(32).toString('base64url')
  const issuedMs = Date.now()
  const hash = seal.hashToken(ticket)
  await store.mfaTickets.put(hash, { userId: id, epoch, factorId, isProven: false, issuedMs })
  return { ticket, expires_at: timestamp(issuedMs + ticketMs) }
}
