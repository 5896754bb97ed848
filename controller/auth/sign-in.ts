import { ApiError } from '../../shared/api/errors.ts'
import type { Session } from '../../shared/api/sessions.ts'
import type { NewSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'
import type { AccessDeps, Credentials } from './access.ts'
import { demandSecondFactor } from './demand-second-factor.ts'
import { allowsPasswords } from './methods.ts'
import { lifeSeconds, sessionAnswer, type Organisation } from './session-answer.ts'
import { freshTokens, hashesOf } from './tokens.ts'

/** Somebody and what the password opens to them. */
export interface Known {
  readonly user: User
  /** At least one. */
  readonly organisations: readonly Organisation[]
}

/** Nobody; `why` is for the audit alone. */
export interface Unknown {
  readonly why: string
}

/**
 * Opens sessions for whoever knows the password, in the companies that allow passwords.
 * @throws ApiError `invalid_credentials`, the same for whatever is wrong; `mfa_required`, `mfa_enrolment_required`
 */
export async function login(deps: AccessDeps, given: Credentials): Promise<Session | Session[]> {
  const found = await findByPassword(deps, given)
  if ('why' in found)
    throw new ApiError(
      'invalid_credentials',
      'Email, password and company name do not belong together. Check each of them.',
      found,
    )
  await demandSecondFactor(deps, found)
  return await openSessions(deps, found, given, false)
}

/** Whose password it is. Whatever is wrong takes as long. @throws ApiError `too_many_logins` */
export async function findByPassword(
  deps: Pick<AccessDeps, 'store' | 'passwords'>,
  { email, password, companyName }: Pick<Credentials, 'email' | 'password' | 'companyName'>,
): Promise<Known | Unknown> {
  const user = await deps.store.users.findByEmail(email)
  const matches = await deps.passwords.check(password, user?.passwordHash)
  if (!user) return { why: 'unknown_user' }
  if (!matches) return { why: 'wrong_password' }
  return await findPlaces(deps.store, user, companyName)
}

/** The user in the companies that allow passwords. */
export async function findPlaces(
  store: Store,
  user: User,
  companyName: string | undefined,
): Promise<Known | Unknown> {
  const wanted = companyName?.trim().toLowerCase()
  const all = await organisationsOf(store, user)
  const allowed = all.filter(({ preferences }) => allowsPasswords(preferences))
  const organisations = allowed.filter(
    ({ company }) => !wanted || company.name.toLowerCase() === wanted,
  )
  if (organisations.length > 0) return { user, organisations }
  if (all.length === 0) return { why: 'no_access' }
  return { why: allowed.length > 0 ? 'wrong_company' : 'method_disabled' }
}

/** One session for each organisation, or one of the company. @throws ApiError as `wholeCompany` */
export async function openSessions(
  deps: AccessDeps,
  { user, organisations }: Known,
  { wantsCompany, address, userAgent }: Pick<Credentials, 'wantsCompany' | 'address' | 'userAgent'>,
  hasSecondFactor: boolean,
): Promise<Session | Session[]> {
  const how = { amr: 'password', hasSecondFactor, origin: { address, userAgent } } as const
  const open = (organisation: Organisation) => openSession(deps, user, organisation, how)
  if (wantsCompany) return await open(wholeCompany(organisations))
  return await Promise.all(organisations.map((organisation) => open(organisation)))
}

/** The company of these teams as one organisation. @throws ApiError when they are of several companies */
export function wholeCompany(teams: readonly Organisation[]): Organisation {
  const [first, ...others] = teams as [Organisation, ...Organisation[]]
  const names = [...new Set(teams.map(({ company }) => company.name))].join(', ')
  if (others.some(({ company }) => company.id !== first.company.id))
    throw new ApiError('invalid_body', `Say which company: ${names}.`, {
      details: { field: 'companyName', allowed: names },
    })
  return { ...first, team: undefined, listed: teams.flatMap(({ listed }) => listed) }
}

/** The teams of a user, the oldest first; the company itself where the user has no team. */
async function organisationsOf(store: Store, user: User): Promise<Organisation[]> {
  const companyIds = (await store.users.companiesOf(user.id)).sort()
  const all = await Promise.all(companyIds.map((id) => organisationsIn(store, id, user)))
  return all.flat()
}

async function organisationsIn(
  store: Store,
  companyId: string,
  user: User,
): Promise<Organisation[]> {
  const [company, membership, preferences, all] = await Promise.all([
    store.companies.readCompany(companyId),
    store.companies.readMembership(companyId, user.id),
    store.authPreferences.read(companyId),
    store.companies.listTeams(companyId),
  ])
  if (!company || !membership) return []
  const teams = all.filter((team) => membership.teams[team.id])
  const parts = teams.length > 0 ? teams : [undefined]
  return parts.map((team) => {
    const listed = team ? [team] : []
    return { company, preferences, membership, team, listed }
  })
}

/** Opens a session for whoever has proven to be this user. */
export async function openSession(
  deps: AccessDeps,
  user: User,
  org: Organisation,
  how: Pick<NewSession, 'amr' | 'hasSecondFactor' | 'origin'>,
): Promise<Session> {
  const tokens = freshTokens()
  const now = Date.now()
  const endsMs = now + deps.renewalSeconds * 1000
  const expiresMs = Math.min(now + lifeSeconds(deps, org.preferences) * 1000, endsMs)
  await deps.store.sessions.open(
    {
      userId: user.id,
      email: user.email,
      companyId: org.company.id,
      teamId: org.team?.id,
      sinceMs: org.membership.sinceMs,
      // As it was when the password was read: one that is changed meanwhile ends this session too.
      epoch: user.epoch,
      ...how,
      createdMs: now,
      endsMs,
    },
    { ...hashesOf(deps.seal, tokens), expiresMs },
  )
  return sessionAnswer(org, user.email, tokens, expiresMs)
}
