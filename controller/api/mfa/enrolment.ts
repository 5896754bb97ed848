import { ApiError } from '../../../shared/api/errors.ts'
import type { MfaSecret } from '../../../shared/api/mfa.ts'
import type { Claimant } from '../../auth/lock-out.ts'
import { newRecoveryCodes } from '../../auth/recovery-codes.ts'
import { dummySeed, findByTicket, hashOfRecoveryCode } from '../../auth/second-factor.ts'
import { findPlaces, type Known, type Unknown } from '../../auth/sign-in.ts'
import { newSeed, otpauthUrl, stepOfCode } from '../../auth/totp.ts'
import type { PendingFactor } from '../../store/mfa.ts'
import { identify, wrong, type Holder, type MfaDeps, type Shown } from './claim.ts'

/** Begins an enrolment. @throws ApiError `invalid_credentials`, `mfa_enabled` */
export async function enable(deps: MfaDeps, given: Shown): Promise<MfaSecret> {
  const holder = await identify(deps, given)
  if ('why' in holder) throw wrong(holder)
  const { user } = holder.known
  if (await deps.store.mfa.isOn(user.id))
    throw new ApiError('mfa_enabled', 'Your second factor is on. Switch it off to set up another.')
  const secretKey = newSeed()
  await deps.store.mfa.propose(user.id, secretKey, user.epoch)
  const url = otpauthUrl(secretKey, user.email)
  const { toDataURL } = await import('qrcode')
  return { secretKey, qrUrl: await toDataURL(url), otpauthUrl: url }
}

/** What somebody shows who has set up an authenticator. */
export interface FirstCode extends Claimant {
  readonly token: string
  readonly ticket: string | undefined
}

/** Ends an enrolment with its first code. Gives the recovery codes. @throws ApiError `invalid_credentials` */
export async function validate(deps: MfaDeps, given: FirstCode): Promise<string[]> {
  const { store, seal } = deps
  const holder = await findEnrolling(deps, given)
  const pending = await store.mfa.findPending('why' in holder ? 'nobody' : holder.known.user.id)
  const step = stepOfCode(pending?.seed ?? dummySeed, given.token.trim(), Date.now())
  if ('why' in holder) throw wrong(holder)
  const { known, ticket } = holder
  if (!pending || isStale(pending, known)) throw wrong({ why: 'no_enrolment' })
  if (step === undefined) throw wrong({ why: 'wrong_code' })
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => hashOfRecoveryCode(seal, code))
  if (!(await store.mfa.confirm(known.user.id, pending.id, step, hashes)))
    throw wrong({ why: 'used_code' })
  if (ticket) await prove(store, ticket, pending.id)
  return codes
}

/** From now on the ticket stands for password and code. */
async function prove(
  { mfaTickets }: MfaDeps['store'],
  { hash, ...ticket }: NonNullable<Holder['ticket']>,
  factorId: string,
): Promise<void> {
  await mfaTickets.replace(hash, { ...ticket, factorId, isProven: true })
}

/** By the address alone, as existing clients ask; a ticket that is given must be a good one. */
async function findEnrolling(
  deps: MfaDeps,
  { email, ticket }: FirstCode,
): Promise<Holder | Unknown> {
  if (ticket) return await findByTicket(deps, { email, ticket })
  const user = await deps.store.users.findByEmail(email)
  if (!user) return { why: 'unknown_user' }
  const known = await findPlaces(deps.store, user, undefined)
  return 'why' in known ? known : { known }
}

/** Begun with a password that was changed since, or before the user was revoked and came back. */
function isStale({ epoch, startedMs }: PendingFactor, { user, organisations }: Known): boolean {
  return (
    epoch !== user.epoch ||
    organisations.every(({ membership }) => (membership.sinceMs ?? 0) > startedMs)
  )
}
