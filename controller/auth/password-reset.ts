import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { ApiError } from '../../shared/api/errors.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mailer } from '../mail/mailer.ts'
import { passwordResetMail } from '../mail/mails.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'
import type { Seal } from './seal.ts'
import type { Claimant, LockOut } from './lock-out.ts'
import { allowsPasswords } from './methods.ts'
import type { Passwords } from './password.ts'
import type { MailRation } from './ration.ts'

const lifetimeMs = 30 * 60_000

export interface PasswordResetDeps {
  readonly store: Store
  readonly audit: Audit
  readonly seal: Seal
  readonly passwords: Passwords
  readonly lockOut: LockOut
  readonly mayMail: MailRation
  readonly mailer: Mailer | undefined
  readonly logger: Logger
  /** Where links lead to. */
  readonly siteUrl: () => string
}

/** Setting a new password without the old one. */
export interface PasswordReset {
  /**
   * Has a code mailed, when there is such a user. Nothing that the caller sees depends on that: it resolves
   * before the user is looked up.
   * @throws ApiError `locked_out` for an address that asks too often
   */
  request(who: Claimant): Promise<void>
  /** @throws ApiError `invalid_credentials` for whatever does not fit together, `locked_out` */
  reset(given: Claimant & { readonly code: string; readonly password: string }): Promise<void>
}

/** Makes the service of password resets. */
export function createPasswordReset(deps: PasswordResetDeps): PasswordReset {
  return {
    async request(who) {
      const isRationed = !(await deps.mayMail(who))
      if (!deps.mailer) deps.logger.warn(noMailServer)
      else if (isRationed) deps.logger.warn('no mail: a user was sent enough of them')
      else setImmediate(() => void mailCode(deps, who))
    },
    reset: (given) => deps.lockOut.guard(given, () => reset(deps, given)),
  }
}

const noMailServer =
  'a password reset was asked for, but there is no mail server (TEMBLOR_SMTP_URL); ' +
  '"temblor admin user reset-password" makes a link on this host'

/** A code to set a new password with. */
export interface ResetCode {
  readonly link: string
  readonly expiresMs: number
}

/** Makes a code for a user; an earlier one is of no use any more. Whoever has the link is the user. */
export async function issueResetCode(
  { store, seal }: { store: Store; seal: Seal },
  user: User,
  siteUrl: string,
): Promise<ResetCode> {
  const code = randomBytes(24).toString('base64url')
  const expiresMs = await store.passwordResets.put(user.id, seal.hashToken(code), lifetimeMs)
  // Behind the #, so that neither the server nor a proxy writes the code into a log.
  const fragment = new URLSearchParams({ email: user.email, code })
  return { link: `${siteUrl}/password-reset#${fragment.toString()}`, expiresMs }
}

async function mailCode(deps: PasswordResetDeps, who: Claimant): Promise<void> {
  const { store, audit } = deps
  try {
    const user = await store.users.findByEmail(who.email)
    if (!user || !(await mayHavePassword(store, user))) return
    const { link, expiresMs } = await issueResetCode(deps, user, deps.siteUrl())
    deps.mailer?.post(passwordResetMail({ to: user.email, link, until: timestamp(expiresMs) }))
    const about = { kind: 'user', id: user.id, name: user.email } as const
    const event = {
      action: 'session.password-code',
      actor: { ...about, kind: 'claimed' },
      from: who.address,
      target: about,
    } as const
    for (const companyId of await store.users.companiesOf(user.id))
      await audit.record({ ...event, companyId })
  } catch (err) {
    deps.logger.error({ err }, 'no code for a password reset could be made')
  }
}

async function reset(
  { store, seal, passwords }: PasswordResetDeps,
  { email, code, password }: { email: string; code: string; password: string },
): Promise<void> {
  // First and for everybody, so that it takes the same time whoever it is.
  const hash = await passwords.hash(password)
  const user = await store.users.findByEmail(email)
  const isTheirs =
    user !== undefined &&
    (await mayHavePassword(store, user)) &&
    (await store.passwordResets.use(user.id, seal.hashToken(code), hash))
  if (isTheirs) return
  throw new ApiError(
    'invalid_credentials',
    'Email and code do not belong together, or the code is used, replaced or expired. Ask for a new one.',
  )
}

/** Whether some company lets the user in with a password. */
async function mayHavePassword(store: Store, user: User): Promise<boolean> {
  for (const companyId of await store.users.companiesOf(user.id)) {
    const isIn = await store.companies.readMembership(companyId, user.id)
    if (isIn && allowsPasswords(await store.authPreferences.read(companyId))) return true
  }
  return false
}
