import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import type { Company } from '../store/companies.ts'
import type { Member } from '../store/members.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'
import { ClaimError, placeByClaims, type ClaimedPlace, type RoleClaims } from './claims.ts'
import { SsoRefusal } from './sso-refusal.ts'

/** Roles as the audit tells them, teams by their id. */
export interface ToldRoles {
  readonly roles: readonly CompanyRole[] | undefined
  readonly teams: Readonly<Record<string, readonly TeamRole[]>> | undefined
}

/** What somebody is before and after; before, nothing is told of somebody unknown. */
export interface RoleChange {
  readonly before: ToldRoles
  readonly after: ToldRoles
}

/** What a provider claims. */
export interface Claiming {
  /** Undefined when there are no claims. @throws ClaimError */
  readonly read: () => RoleClaims | undefined
  readonly areRequired: boolean
}

/**
 * Makes the user, if unknown, and gives exactly the roles that are claimed, in one step. Where nothing is
 * claimed and nothing must be, roles stay, and a newcomer has the default one.
 * @throws SsoRefusal `claims`, `access` for a user who was revoked; nothing is changed then
 */
export async function applyClaims(
  store: Store,
  company: Company,
  email: string,
  claiming: Claiming,
): Promise<RoleChange> {
  const { claims, place, known } = await plan(store, company, email, claiming)
  const user = known ?? (await addUser(store, email))
  const change = await store.members.claim(company.id, user.id, (now) => {
    checkAccess(now)
    return claims || !now ? place : now
  })
  if (!change) throw new SsoRefusal('claims', 'A team was deleted meanwhile.')
  return { before: told(change.before), after: told(change.after) }
}

/** What `applyClaims` would change now. Nothing is. @throws SsoRefusal as `applyClaims` */
export async function previewClaims(
  store: Store,
  company: Company,
  email: string,
  claiming: Claiming,
): Promise<RoleChange> {
  const { claims, place, member } = await plan(store, company, email, claiming)
  return { before: told(member), after: told(claims || !member ? place : member) }
}

async function plan(
  store: Store,
  company: Company,
  email: string,
  { read, areRequired }: Claiming,
) {
  const claims = understood(read)
  if (!claims && areRequired)
    throw new SsoRefusal('claims', 'There are no claims of roles, which the company requires.')
  const place = await resolve(store, company, claims)
  const known = await store.users.findByEmail(email)
  const member = known && (await store.members.find(company.id, known.id))
  checkAccess(member)
  return { claims, place, known, member }
}

/** What the claims mean; without any, what a newcomer has. */
async function resolve(
  store: Store,
  company: Company,
  claims: RoleClaims | undefined,
): Promise<ClaimedPlace> {
  const [teams, { defaultCompanyRole }] = await Promise.all([
    store.teams.list(company.id),
    store.companySettings.read(company.id),
  ])
  const meant = claims ?? { companyRoles: undefined, teams: [] }
  return understood(() => placeByClaims(meant, teams, defaultCompanyRole))
}

function understood<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ClaimError) throw new SsoRefusal('claims', error.message)
    throw error
  }
}

/** Whoever was revoked stays so until an admin gives the access back. */
export function checkAccess(member: Member | undefined): void {
  if (member?.state === 'REVOKED')
    throw new SsoRefusal('access', 'The access of this user to the company was revoked.')
}

/** A user without a password. Of several sign-ins at once one makes it. */
export async function addUser(store: Store, email: string): Promise<User> {
  try {
    return await store.users.add(email, '')
  } catch (error) {
    const known = await store.users.findByEmail(email)
    if (known) return known
    throw error
  }
}

export function told(member: Pick<Member, 'roles' | 'teams'> | undefined): ToldRoles {
  return { roles: member?.roles, teams: member?.teams }
}
