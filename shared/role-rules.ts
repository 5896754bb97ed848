import { privilegesOf, type CompanyRole, type Privilege, type TeamRole } from './roles.ts'

/**
 * Who may change whose roles. Each rule names the privilege that is missing, or gives undefined when the
 * change is allowed. They look at what people hold now; the last owner is guarded where it is written.
 */

/** What someone holds in a company. */
export interface Holder {
  readonly roles: readonly CompanyRole[]
  /** Roles in each team, by the team's id. */
  readonly teams: Readonly<Record<string, readonly TeamRole[]>>
}

/** Only who may promote gives and takes these; what opens a team to hosts, only who may open it. */
const promotions: Readonly<Partial<Record<CompanyRole | TeamRole, Privilege>>> = {
  COMPANY_OWNER: 'PROMOTE_DEMOTE_OWNER',
  COMPANY_ADMIN: 'PROMOTE_DEMOTE_MANAGER',
  COMPANY_MANAGER: 'PROMOTE_DEMOTE_MANAGER',
  TEAM_MANAGER: 'PROMOTE_DEMOTE_MANAGER',
  TEAM_CREDENTIAL_MANAGER: 'TEAM_SECURITY_WRITE',
}

/** Whether giving this role takes more than to place people. */
export function isPromotion(role: CompanyRole | TeamRole): boolean {
  return role in promotions
}

/** Whether `actor` may give `subject` these company roles instead of the present ones. */
export function companyEditNeeds(
  actor: Holder,
  subject: Holder,
  after: readonly CompanyRole[],
): Privilege | undefined {
  const held = privilegesOf(actor.roles, [])
  return (
    lacks(held, ['COMPANY_USERS_WRITE']) ??
    lacks(held, promotionsIn(subject.roles, after)) ??
    lacks(held, privilegesOf([...subject.roles, ...after], []))
  )
}

/**
 * Whether `actor` may give `subject` these roles in the team; none takes `subject` out of it. Managers of the
 * company place people in teams without being in them.
 */
export function teamEditNeeds(
  actor: Holder,
  subject: Holder,
  teamId: string,
  after: readonly TeamRole[],
): Privilege | undefined {
  const before = subject.teams[teamId] ?? []
  const inCompany = privilegesOf(actor.roles, [])
  const held = privilegesOf(actor.roles, actor.teams[teamId] ?? [])
  const touched = inCompany.has('COMPANY_USERS_WRITE')
    ? new Set<Privilege>()
    : privilegesOf([], [...before, ...after])
  // Whoever is only added to a team loses nothing, so their place in the company does not matter.
  const outranked = before.length > 0 ? privilegesOf(subject.roles, []) : new Set<Privilege>()
  return (
    (inCompany.has('COMPANY_USERS_WRITE') ? undefined : lacks(held, ['USERS_WRITE'])) ??
    lacks(held, promotionsIn(before, after)) ??
    lacks(held, new Set([...outranked, ...touched]))
  )
}

/** Whether `actor` may end, or give back, the access of `subject` to the company. */
export function revocationNeeds(actor: Holder, subject: Holder): Privilege | undefined {
  const held = privilegesOf(actor.roles, [])
  return lacks(held, ['COMPANY_USERS_REVOKE']) ?? lacks(held, privilegesOf(subject.roles, []))
}

/** Whether `actor` may switch off the second factor of `subject`. */
export function mfaResetNeeds(actor: Holder, subject: Holder): Privilege | undefined {
  const held = privilegesOf(actor.roles, [])
  return lacks(held, ['COMPANY_SECURITY_WRITE']) ?? lacks(held, privilegesOf(subject.roles, []))
}

/** What it takes to move between these roles. */
function promotionsIn<R extends CompanyRole | TeamRole>(
  before: readonly R[],
  after: readonly R[],
): Privilege[] {
  const moved = new Set<R>([...after, ...before])
  return [...moved].flatMap((role) =>
    before.includes(role) === after.includes(role) ? [] : (promotions[role] ?? []),
  )
}

function lacks(held: ReadonlySet<Privilege>, wanted: Iterable<Privilege>): Privilege | undefined {
  return [...wanted].find((privilege) => !held.has(privilege))
}
