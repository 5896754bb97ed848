import { ApiError } from '../../../shared/api/errors.ts'
import type { Audit } from '../../audit/audit.ts'
import type { AccessDeps } from '../../auth/access.ts'
import type { Claimant } from '../../auth/lock-out.ts'
import {
  dummySeed,
  findByTicket,
  fittingCode,
  type TicketHolder,
} from '../../auth/second-factor.ts'
import { findByPassword, type Known, type Unknown } from '../../auth/sign-in.ts'
import type { FittingCode, SecondFactor } from '../../store/mfa.ts'

export type MfaDeps = AccessDeps & { readonly audit: Audit }

/** What somebody shows of whom they say they are. */
export interface Shown extends Claimant {
  /** Empty is absent. */
  readonly password: string | undefined
  readonly ticket: string | undefined
  readonly companyName?: string | undefined
}

/** Who has shown the password, or a ticket in its place. */
export interface Holder {
  readonly known: Known
  readonly ticket?: TicketHolder['ticket']
}

/** Whoever shows the password or a ticket. @throws ApiError `invalid_body` when it is neither */
export async function identify(
  deps: MfaDeps,
  { email, password, ticket, companyName }: Shown,
): Promise<Holder | Unknown> {
  if (password) {
    const known = await findByPassword(deps, { email, password, companyName })
    return 'why' in known ? known : { known }
  }
  if (ticket) return await findByTicket(deps, { email, ticket, companyName })
  throw missing('password')
}

/** A second factor that was shown, not used up yet. */
export interface Proof {
  readonly factor: SecondFactor
  /** Absent for a ticket with which a code was shown already. */
  readonly code: FittingCode | undefined
}

/** Looks at a code without using it up. For who has no second factor that takes as long. */
export async function checkCode(
  { store, seal }: MfaDeps,
  holder: Holder | Unknown,
  token: string,
): Promise<Proof | Unknown> {
  const { known, ticket } = 'why' in holder ? {} : holder
  const factor = await store.mfa.find(known?.user.id ?? 'nobody')
  const code = fittingCode(seal, factor ?? { seed: dummySeed, recoveryHashes: new Set() }, token)
  if ('why' in holder) return holder
  if (!factor) return { why: 'no_second_factor' }
  const isProven = token === '' && ticket?.isProven === true
  return code || isProven ? { factor, code } : { why: 'wrong_code' }
}

/** Uses the code and the ticket up. @throws ApiError when somebody else was first with the same */
export async function useUp(
  { store, audit }: MfaDeps,
  from: string,
  { known: { user, organisations }, ticket }: Holder,
  { factor, code }: Proof,
): Promise<void> {
  if (code && !(await store.mfa.use(user.id, factor.id, code))) throw wrong({ why: 'used_code' })
  if (ticket && !(await store.mfaTickets.take(ticket.hash))) throw wrong({ why: 'used_ticket' })
  if (code?.kind !== 'recovery') return
  const actor = { kind: 'user', id: user.id, name: user.email } as const
  const detail = { left: factor.recoveryHashes.size - 1 }
  for (const companyId of new Set(organisations.map(({ company }) => company.id)))
    await audit.record({ action: 'mfa.recovery-code-used', actor, from, companyId, detail })
}

/** The same for whatever is wrong; only the audit is told what it was. */
export function wrong({ why }: Unknown): ApiError {
  return new ApiError(
    'invalid_credentials',
    'Email, password, code and company name do not belong together, or the code or ticket is used or expired. Check each of them.',
    { why },
  )
}

export function missing(field: string): ApiError {
  return new ApiError('invalid_body', `${field} is missing. Add it.`, { details: { field } })
}
