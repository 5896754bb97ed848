import { ApiError } from '../../shared/api/errors.ts'
import type { Session } from '../../shared/api/sessions.ts'
import type { SignInMethod } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'
import type { AccessDeps, Credentials } from './access.ts'
import { lifeSeconds, sessionAnswer, type Organisation } from './session-answer.ts'
import { freshTokens, hashesOf } from './tokens.ts'

/**
 * Opens sessions for whoever knows the password, in the companies that allow passwords.
 * @throws ApiError `invalid_credentials`, the same for whatever is wrong
 */
export async function login(
  deps: AccessDeps,
  { email, password, companyName, wantsCompany }: Credentials,
): Promise<Session | Session[]> {
  const user = await deps.store.users.findByEmail(email)
  const matches = await deps.passwords.check(password, user?.passwordHash)
  const wanted = companyName?.trim().toLowerCase()
  const all = user && matches ? await organisationsOf(deps.store, user) : []
  const sessions = all.filter(
    ({ company, preferences }) =>
      preferences.passwordEnabled && (!wanted || company.name.toLowerCase() === wanted),
  )
  if (!user || sessions.length === 0)
    throw new ApiError(
      'invalid_credentials',
      'Email, password and company name do not belong together. Check each of them.',
      { why: whyNot(user, matches, all) },
    )
  const open = (organisation: Organisation) => openSession(deps, user, organisation, 'password')
  if (wantsCompany) return await open(wholeCompany(sessions))
  return await Promise.all(sessions.map((organisation) => open(organisation)))
}

/** What the answer does not tell. */
function whyNot(user: User | undefined, matches: boolean, all: readonly Organisation[]): string {
  if (!user) return 'unknown_user'
  if (!matches) return 'wrong_password'
  if (all.length === 0) return 'no_access'
  return all.some(({ preferences }) => preferences.passwordEnabled)
    ? 'wrong_company'
    : 'method_disabled'
}

/** The company of these teams as one organisation. @throws ApiError when they are of several companies */
function wholeCompany(teams: readonly Organisation[]): Organisation {
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
  const organisations: Organisation[] = []
  for (const companyId of (await store.users.companiesOf(user.id)).sort()) {
    const company = await store.companies.readCompany(companyId)
    const membership = await store.companies.readMembership(companyId, user.id)
    if (!company || !membership) continue
    const preferences = await store.authPreferences.read(companyId)
    const teams = (await store.companies.listTeams(companyId)).filter(
      (team) => membership.teams[team.id],
    )
    const parts = teams.length > 0 ? teams : [undefined]
    organisations.push(
      ...parts.map((team) => {
        const listed = team ? [team] : []
        return { company, preferences, membership, team, listed }
      }),
    )
  }
  return organisations
}

async function openSession(
  deps: AccessDeps,
  user: User,
  org: Organisation,
  amr: SignInMethod,
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
      amr,
      endsMs,
    },
    { ...hashesOf(deps.seal, tokens), expiresMs },
  )
  return sessionAnswer(org, user.email, tokens, expiresMs)
}
