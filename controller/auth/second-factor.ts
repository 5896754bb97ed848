import type { FittingCode, SecondFactor } from '../store/mfa.ts'
import type { MfaTicket } from '../store/mfa-tickets.ts'
import type { Store } from '../store/store.ts'
import { canonicalRecoveryCode } from './recovery-codes.ts'
import type { Seal } from './seal.ts'
import { findPlaces, type Known, type Unknown } from './sign-in.ts'
import { newSeed, stepOfCode } from './totp.ts'

/** Codes of people without a second factor are checked against this one, which nobody knows. */
export const dummySeed = newSeed()

/** What of the factor this code is, without using it up; undefined for a wrong one. */
export function fittingCode(
  seal: Seal,
  { seed, recoveryHashes }: Pick<SecondFactor, 'seed' | 'recoveryHashes'>,
  token: string,
): FittingCode | undefined {
  const step = stepOfCode(seed, token.trim(), Date.now())
  if (step !== undefined) return { kind: 'step', step }
  const hash = hashOfRecoveryCode(seal, token)
  return recoveryHashes.has(hash) ? { kind: 'recovery', hash } : undefined
}

/** What is stored of a recovery code; that of another text is one that no code has. */
export function hashOfRecoveryCode(seal: Seal, code: string): string {
  return seal.hashToken(`recovery ${canonicalRecoveryCode(code) ?? ''}`)
}

/** Somebody who shows a ticket. */
export interface TicketHolder {
  readonly known: Known
  readonly ticket: MfaTicket & { readonly hash: string }
}

/**
 * Whose ticket it is. Nobody's when it is another's or expired, and when the password, the second factor or the access
 * to every company has changed since.
 */
export async function findByTicket(
  { store, seal }: { readonly store: Store; readonly seal: Seal },
  given: { email: string; ticket: string; companyName?: string | undefined },
): Promise<TicketHolder | Unknown> {
  const hash = seal.hashToken(given.ticket)
  const user = await store.users.findByEmail(given.email)
  const ticket = await store.mfaTickets.find(hash)
  const factor = await store.mfa.find(user?.id ?? 'nobody')
  if (!user) return { why: 'unknown_user' }
  const known = await findPlaces(store, user, given.companyName)
  if ('why' in known) return known
  if (ticket?.userId !== user.id) return { why: 'wrong_ticket' }
  const isOver = ticket.epoch !== user.epoch || ticket.factorId !== (factor?.id ?? '')
  const organisations = known.organisations.filter(
    ({ membership }) => (membership.sinceMs ?? 0) <= ticket.issuedMs,
  )
  if (isOver || organisations.length === 0) return { why: 'old_ticket' }
  return { known: { user, organisations }, ticket: { ...ticket, hash } }
}
