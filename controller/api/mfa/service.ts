import { ApiError } from '../../../shared/api/errors.ts'
import type { MfaInfo, MfaSecret } from '../../../shared/api/mfa.ts'
import type { Session } from '../../../shared/api/sessions.ts'
import { mfaResetNeeds } from '../../../shared/role-rules.ts'
import type { Caller } from '../../auth/access.ts'
import { forbidden } from '../../auth/forbidden.ts'
import type { Claimant } from '../../auth/lock-out.ts'
import { openSessions, wholeCompany } from '../../auth/sign-in.ts'
import { userNotFound } from '../../records/not-found.ts'
import type { SignInOrigin } from '../../store/sessions.ts'
import { checkCode, identify, missing, useUp, wrong, type MfaDeps, type Shown } from './claim.ts'
import { enable, validate, type FirstCode } from './enrolment.ts'

/** Second factors: codes of an authenticator, and recovery codes. Every check counts for the lock-out. */
export interface MfaService {
  /** @throws ApiError `invalid_credentials`, the same for whatever is wrong; `locked_out` */
  signIn(given: WithCode): Promise<Session | Session[]>
  /** @throws ApiError as `signIn`; `mfa_enabled` */
  enable(given: Shown): Promise<MfaSecret>
  /** Gives the recovery codes. @throws ApiError as `signIn` */
  validate(given: FirstCode): Promise<string[]>
  /** @throws ApiError as `signIn` */
  disable(given: Claimant & { password: string; token: string }): Promise<void>
  /** @throws ApiError `user_not_found`, `forbidden` */
  forceDisable(caller: Caller, email: string): Promise<void>
  info(caller: Caller): Promise<MfaInfo>
  /** @throws ApiError `user_not_found` */
  isOn(caller: Caller, email: string): Promise<boolean>
}

/** What somebody signs in with. */
export interface WithCode extends Shown, SignInOrigin {
  /** Empty with a ticket with which a code was shown already. */
  readonly token: string
  readonly wantsCompany: boolean
}

/** Makes the service of second factors. */
export function createMfaService(deps: MfaDeps): MfaService {
  const { store, lockOut } = deps
  return {
    signIn: (given) => lockOut.guard(given, () => signIn(deps, given)),
    enable: (given) => lockOut.guard(given, () => enable(deps, given)),
    validate: (given) => lockOut.guard(given, () => validate(deps, given)),
    disable: (given) => lockOut.guard(given, () => disable(deps, given)),
    forceDisable: (caller, email) => forceDisable(deps, caller, email),
    async info({ userId, company }) {
      const factor = await store.mfa.find(userId)
      const { mfaRequired } = await store.authPreferences.read(company.id)
      return {
        enabled: factor ? 'true' : 'false',
        provider: 'TOTP',
        required: mfaRequired,
        recovery_codes_left: factor?.recoveryHashes.size ?? 0,
      }
    },
    async isOn(caller, email) {
      const { id } = await findColleague(deps, caller, email)
      return await store.mfa.isOn(id)
    },
  }
}

async function signIn(deps: MfaDeps, given: WithCode): Promise<Session | Session[]> {
  if (given.password && given.token === '') throw missing('token')
  const holder = await identify(deps, given)
  const proof = await checkCode(deps, holder, given.token)
  if ('why' in holder) throw wrong(holder)
  if ('why' in proof) throw wrong(proof)
  // Before the code is used up: whoever has to say which company says it with the same code.
  if (given.wantsCompany) wholeCompany(holder.known.organisations)
  await useUp(deps, given.address, holder, proof)
  return await openSessions(deps, holder.known, given, true)
}

async function disable(
  deps: MfaDeps,
  given: Claimant & { password: string; token: string },
): Promise<void> {
  const holder = await identify(deps, { ...given, ticket: undefined })
  const proof = await checkCode(deps, holder, given.token)
  if ('why' in holder) throw wrong(holder)
  if ('why' in proof) throw wrong(proof)
  await useUp(deps, given.address, holder, proof)
  await switchOff(deps, holder.known.user.id)
}

/** The sessions end first: cut off in between, the second factor is still on. */
async function switchOff({ store }: MfaDeps, userId: string): Promise<void> {
  await store.users.endSessions(userId)
  await store.mfa.remove(userId)
}

/** Who came in by the provider of one company, or with a key of it, is nobody in the others. */
function knowsPassword({ credential }: Caller): boolean {
  return credential.kind === 'session' && credential.session.amr === 'password'
}

async function forceDisable(deps: MfaDeps, caller: Caller, email: string): Promise<void> {
  const { store } = deps
  const { id } = await findColleague(deps, caller, email)
  if (id === caller.userId)
    throw new ApiError(
      'forbidden',
      'Your own second factor is switched off with a code: POST /users/auth/mfa/disable.',
    )
  // It guards the user in other companies, too.
  for (const companyId of await store.users.companiesOf(id)) {
    const subject = await store.members.findActive(companyId, id)
    const isTheirs = companyId === caller.company.id || knowsPassword(caller)
    const actor = isTheirs ? await store.members.findActive(companyId, caller.userId) : undefined
    const needed = subject && mfaResetNeeds(actor ?? { roles: [], teams: {} }, subject)
    if (needed) throw forbidden([needed])
  }
  if (await store.mfa.isOn(id)) await switchOff(deps, id)
}

async function findColleague({ store }: MfaDeps, caller: Caller, email: string) {
  const user = await store.users.findByEmail(email)
  if (!user || !(await store.members.find(caller.company.id, user.id))) throw userNotFound(email)
  return user
}
