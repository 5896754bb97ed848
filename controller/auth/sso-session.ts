import type { Session } from '../../shared/api/sessions.ts'
import type { SsoMethod } from '../../shared/api/sign-in-failures.ts'
import type { AccessDeps } from './access.ts'
import type { SignInOrigin } from '../store/sessions.ts'
import { openSession } from './sign-in.ts'

/**
 * Opens a session of one company for somebody whom its identity provider vouches for. Other companies of the
 * same user are none of the provider's business. Undefined when the user has no access, or no more.
 */
export async function openSsoSession(
  deps: AccessDeps,
  who: { readonly email: string; readonly companyId: string },
  amr: SsoMethod,
  origin: SignInOrigin,
): Promise<{ session: Session; userId: string; isOwner: boolean } | undefined> {
  const { store } = deps
  const { companyId } = who
  const user = await store.users.findByEmail(who.email)
  const [company, membership, preferences, teams] = await Promise.all([
    store.companies.readCompany(companyId),
    user && store.companies.readMembership(companyId, user.id),
    store.authPreferences.read(companyId),
    store.companies.listTeams(companyId),
  ])
  if (!user || !company || !membership) return undefined
  const listed = teams.filter(({ id }) => membership.teams[id])
  const organisation = { company, membership, preferences, team: undefined, listed }
  const session = await openSession(deps, user, organisation, {
    amr,
    hasSecondFactor: false,
    origin,
  })
  return { session, userId: user.id, isOwner: membership.roles.includes('COMPANY_OWNER') }
}
