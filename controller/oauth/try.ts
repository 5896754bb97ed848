import { testLocation } from '../auth/destination.ts'
import { SsoRefusal } from '../auth/sso-refusal.ts'
import { tellTest } from '../auth/sso-test.ts'
import type { RoleChange } from '../auth/apply-claims.ts'
import type { Company } from '../store/companies.ts'
import type { OAuthTest } from '../store/oauth.ts'
import { appUri, type OAuthDeps } from './begin.ts'
import type { Vouched } from './provider.ts'
import type { Trace } from './trace.ts'

/**
 * Ends a sign-in that only tries a provider: what became of it is kept for the admin, and nobody is let in. Gives
 * where the browser goes on.
 */
export async function endTest(
  { store, siteUrl }: OAuthDeps,
  company: Company,
  { id, destination }: OAuthTest,
  trace: Trace,
  work: (came: (said: Vouched) => void) => Promise<RoleChange>,
): Promise<string> {
  let said: Vouched | undefined
  const keep = async (ended: { change: RoleChange } | { refusal: SsoRefusal }) => {
    const { email, issuer } = trace
    const came = { isProven: said !== undefined, issuer, email, claims: claimsIn(said) }
    await tellTest(store, company.id, id, { came, ...ended })
  }
  try {
    await keep({ change: await work((vouched) => void (said = vouched)) })
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error
    await keep({ refusal: error })
  }
  return testLocation(appUri(siteUrl()), destination, id)
}

/** All that the provider said, each once. */
function claimsIn(said: Vouched | undefined) {
  const all = { ...said?.idToken, ...said?.userInfo }
  return Object.entries(all).map(([name, value]) => ({
    name,
    values: (Array.isArray(value) ? value : [value]).map((one) =>
      typeof one === 'string' ? one : (JSON.stringify(one) ?? ''),
    ),
  }))
}
