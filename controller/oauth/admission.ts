import {
  addUser,
  applyClaims,
  checkAccess,
  previewClaims,
  told,
  type RoleChange,
} from '../auth/apply-claims.ts'
import { mayStillInvite } from '../auth/inviter.ts'
import { SsoRefusal } from '../auth/sso-refusal.ts'
import type { Company } from '../store/companies.ts'
import type { InvitationRecord } from '../store/invitations.ts'
import type { Member, Membership } from '../store/members.ts'
import type { OAuthTicket } from '../store/oauth.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'

/** Somebody whom a provider vouches for. */
export type Vouchee = Pick<OAuthTicket, 'method' | 'email' | 'claims' | 'domain'>

/**
 * Gives somebody the place in a company that follows from who vouches for them: by the provider of the company
 * that of the claims; by the public one that of the invitation, or the default one where the company has claimed
 * the domain.
 * @throws SsoRefusal `claims`, `access`; nothing is changed then
 */
export async function admit(
  store: Store,
  company: Company,
  vouchee: Vouchee,
  claimsRequired: boolean,
): Promise<RoleChange> {
  const { method, email, claims } = vouchee
  if (method === 'oauth')
    return await applyClaims(store, company, email, claimingOf(claims, claimsRequired))
  const door = await findDoor(store, company, vouchee, claimsRequired)
  if (door.kind === 'member') return { before: told(door.member), after: told(door.member) }
  const { invitation } = door
  if (invitation && !(await store.invitations.take(company.id, invitation)))
    throw new SsoRefusal('access', 'The invitation was used or withdrawn meanwhile.')
  const user = door.user ?? (await addUser(store, email))
  if (!door.user && invitation?.name) await store.users.setName(user.id, invitation.name)
  const { place } = door
  if (await store.members.add(company.id, user.id, place))
    return { before: told(undefined), after: told(place) }
  const now = await store.members.find(company.id, user.id)
  checkAccess(now)
  return { before: told(now), after: told(now) }
}

/** What `admit` would change now. Nothing is. @throws SsoRefusal as `admit` */
export async function previewAdmission(
  store: Store,
  company: Company,
  vouchee: Vouchee,
  claimsRequired: boolean,
): Promise<RoleChange> {
  const { method, email, claims } = vouchee
  if (method === 'oauth')
    return await previewClaims(store, company, email, claimingOf(claims, claimsRequired))
  const door = await findDoor(store, company, vouchee, claimsRequired)
  return door.kind === 'member'
    ? { before: told(door.member), after: told(door.member) }
    : { before: told(undefined), after: told(door.place) }
}

function claimingOf(claims: Vouchee['claims'], areRequired: boolean) {
  return { read: () => claims, areRequired }
}

/** By which door somebody comes in whom the public provider vouches for. */
type Door =
  | { readonly kind: 'member'; readonly member: Member }
  | {
      readonly kind: 'newcomer'
      readonly user: User | undefined
      readonly invitation: InvitationRecord | undefined
      readonly place: Membership
    }

async function findDoor(
  store: Store,
  company: Company,
  { email, domain }: Vouchee,
  claimsRequired: boolean,
): Promise<Door> {
  if (claimsRequired)
    throw new SsoRefusal(
      'claims',
      'The public provider claims no roles, which the company requires.',
    )
  const user = await store.users.findByEmail(email)
  const member = user && (await store.members.find(company.id, user.id))
  checkAccess(member)
  if (member) return { kind: 'member', member }
  const found = await store.invitations.find(company.id, email)
  const isGood = found && (await mayStillInvite(store, company.id, found.invitedBy))
  const invitation = isGood ? found : undefined
  if (invitation) {
    const place = { ...invitation.membership, invitedBy: invitation.invitedBy }
    return { kind: 'newcomer', user, invitation, place }
  }
  const { domains, defaultCompanyRole } = await store.companySettings.read(company.id)
  if (domain === undefined || !domains.includes(domain))
    throw new SsoRefusal(
      'access',
      `${email} was not invited, and the company has not claimed the domain of its account.`,
    )
  return { kind: 'newcomer', user, invitation, place: { roles: [defaultCompanyRole], teams: {} } }
}
