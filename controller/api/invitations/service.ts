import { randomBytes } from 'node:crypto'
import { ApiError } from '../../../shared/api/errors.ts'
import type { Invitation } from '../../../shared/api/invitations.ts'
import { passwordMinLength } from '../../../shared/api/password.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import type { Caller } from '../../auth/access.ts'
import type { Seal } from '../../auth/seal.ts'
import type { LockOut } from '../../auth/lock-out.ts'
import { mayStillInvite } from '../../auth/inviter.ts'
import { allowsPasswords } from '../../auth/methods.ts'
import type { Passwords } from '../../auth/password.ts'
import type { InvitationRation } from '../../auth/ration.ts'
import type { Mailer } from '../../mail/mailer.ts'
import { invitationMail } from '../../mail/mails.ts'
import { isMailAddress } from '../../mail/settings.ts'
import { userNotFound } from '../../records/not-found.ts'
import type { Company } from '../../store/companies.ts'
import type { InvitationRecord } from '../../store/invitations.ts'
import type { Store } from '../../store/store.ts'
import type { Team } from '../../store/teams.ts'
import { checkEmail, type PersonName, type User } from '../../store/users.ts'

const lifetimeMs = 7 * 24 * 60 * 60_000

export interface InvitationDeps {
  readonly store: Store
  readonly seal: Seal
  readonly passwords: Passwords
  readonly lockOut: LockOut
  readonly mailer: Mailer | undefined
  readonly mayInvite: InvitationRation
  /** Where links lead to. */
  readonly siteUrl: () => string
}

/** What somebody accepts an invitation with, and from where. */
export interface Acceptance {
  readonly companyId: string
  readonly email: string
  readonly code: string
  readonly password: string
  readonly address: string
}

/** Who is to come, and how the inviter calls them. */
export interface Invited {
  readonly email: string
  readonly name?: PersonName
}

export interface InvitationService {
  /** All of them or none. @throws ApiError `invalid_body`, `already_member` */
  invite(caller: Caller, people: readonly Invited[], team: Team | undefined): Promise<Invitation[]>
  /** @throws ApiError `user_not_found` */
  withdraw(caller: Caller, email: string): Promise<void>
  /** @throws ApiError `invalid_credentials` for whatever does not fit together, `locked_out` */
  accept(given: Acceptance): Promise<{ email: string; company: Company }>
}

/** Makes the service of invitations. */
export function createInvitationService(deps: InvitationDeps): InvitationService {
  const { store, lockOut } = deps
  return {
    async invite(caller, people, team) {
      const newcomers = await Promise.all(
        people.map(async (one) => {
          const email = await checkNewcomer(store, caller.company.id, one.email)
          if (deps.mailer) checkMailAddress(email)
          return { ...one, email }
        }),
      )
      if (deps.mailer) for (const { email } of newcomers) await ration(deps, email)
      return await Promise.all(newcomers.map((one) => inviteOne(deps, caller, one, team)))
    },
    async withdraw(caller, email) {
      if (!(await store.invitations.withdraw(caller.company.id, email))) throw userNotFound(email)
    },
    accept: (given) => lockOut.guard(given, () => accept(deps, given)),
  }
}

async function checkNewcomer(store: Store, companyId: string, email: string): Promise<string> {
  const address = checkEmail(email)
  const user = await store.users.findByEmail(address)
  const member = user && (await store.members.find(companyId, user.id))
  if (!member) return user?.email ?? address
  const what =
    member.state === 'ACTIVE'
      ? `${address} is a user of the company already. Nobody was invited.`
      : `The access of ${address} was revoked. Reactivate it instead; nobody was invited.`
  throw new ApiError('already_member', what, { details: { field: 'email', value: address } })
}

function checkMailAddress(email: string): void {
  if (isMailAddress(email)) return
  throw new ApiError(
    'invalid_body',
    `No mail can go to "${email.slice(0, 260)}". Allowed: a plain address, as ann@example.org. Nobody was invited.`,
    { details: { field: 'email', value: email.slice(0, 260) } },
  )
}

/** Nobody's mailbox is filled with invitations. @throws ApiError `too_many_requests` */
async function ration({ mayInvite }: InvitationDeps, email: string): Promise<void> {
  const waitSeconds = await mayInvite(email)
  if (waitSeconds === 0) return
  throw new ApiError(
    'too_many_requests',
    `${email} was invited often enough for now; nobody was invited. Wait as long as Retry-After says.`,
    { retryAfterSeconds: waitSeconds, details: { field: 'email', value: email } },
  )
}

async function inviteOne(
  { store, seal, mailer, siteUrl }: InvitationDeps,
  caller: Caller,
  { email, name }: Invited,
  team: Team | undefined,
): Promise<Invitation> {
  const code = randomBytes(24).toString('base64url')
  const now = Date.now()
  const { defaultCompanyRole, defaultTeamRole } = await store.companySettings.read(
    caller.company.id,
  )
  await store.invitations.put(caller.company.id, {
    email,
    ...(name ? { name } : {}),
    codeHash: seal.hashToken(code),
    isMailed: mailer !== undefined,
    invitedBy: caller.email,
    createdMs: now,
    expiresMs: now + lifetimeMs,
    membership: {
      roles: [defaultCompanyRole],
      teams: team ? { [team.id]: [defaultTeamRole] } : {},
    },
  })
  // Behind the #, so that neither the server nor a proxy writes the code into a log.
  const fragment = new URLSearchParams({ company: caller.company.id, email, code })
  const link = `${siteUrl()}/invitation#${fragment.toString()}`
  const until = timestamp(now + lifetimeMs)
  const { email: inviter, company } = caller
  mailer?.post(invitationMail({ to: email, inviter, company: company.name, link, until }))
  return {
    identifier: email,
    // Once it is mailed, whoever opens the link has the mailbox; the inviter must not have it as well.
    accept_url: mailer ? null : link,
    expires_at: until,
    mailed: mailer !== undefined,
  }
}

async function accept(deps: InvitationDeps, given: Acceptance) {
  const { store } = deps
  const { company, invitation } = await findInvitation(deps, given)
  const user = await store.users.findByEmail(given.email)
  const hash = await newHash(deps, user, given.password, invitation)
  if (!(await store.invitations.take(company.id, invitation))) throw invalid('used_meanwhile')
  const joined = user ?? (await store.users.add(given.email, hash ?? ''))
  if (user && hash !== undefined) await store.users.setPasswordHash(user.id, hash)
  const { membership, invitedBy, name } = invitation
  // Who has a user already has said how they are called.
  if (!user && name) await store.users.setName(joined.id, name)
  const isNew = await store.members.add(company.id, joined.id, { ...membership, invitedBy })
  // Who became a member meanwhile is one already; who was revoked stays so.
  if (!isNew) throw invalid('already_member')
  return { email: joined.email, company }
}

/** The hash of a first password; undefined for who has one and gives it. @throws ApiError for another */
async function newHash(
  { passwords }: InvitationDeps,
  user: User | undefined,
  password: string,
  { isMailed }: InvitationRecord,
): Promise<string | undefined> {
  // The provider of any company makes users without a password: that keeps nobody out of another one, as
  // long as nobody but the mailbox has seen the code.
  if (!user || (user.passwordHash === '' && isMailed)) {
    checkPassword(password)
    return await passwords.hash(password)
  }
  // The code says that somebody was invited, not that this is they: who is known proves it.
  if (!(await passwords.check(password, user.passwordHash))) throw invalid('wrong_password')
  return undefined
}

/** The invitation that the code is of, while it is good. */
async function findInvitation(
  { store, seal }: InvitationDeps,
  { companyId, email, code }: Acceptance,
): Promise<{ company: Company; invitation: InvitationRecord }> {
  const company = await store.companies.readCompany(companyId)
  const invitation = await store.invitations.find(companyId, email)
  if (!company || invitation?.codeHash !== seal.hashToken(code)) throw invalid('wrong_code')
  if (!allowsPasswords(await store.authPreferences.read(company.id)))
    throw invalid('method_disabled')
  if (!(await mayStillInvite(store, company.id, invitation.invitedBy)))
    throw invalid('inviter_may_not_invite')
  return { company, invitation }
}

function checkPassword(password: string): void {
  if (password.length >= passwordMinLength) return
  throw new ApiError(
    'invalid_body',
    `The password has ${password.length} characters. Allowed: at least ${passwordMinLength}.`,
    { details: { field: 'password' } },
  )
}

function invalid(why: string): ApiError {
  return new ApiError(
    'invalid_credentials',
    'Invitation, email and password do not belong together, or the invitation is used, withdrawn or expired, or the company does not use passwords. Who has a user already gives its password.',
    { why },
  )
}
