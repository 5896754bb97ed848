import { invalid } from '../auth/provider-settings.ts'
import { shown, SsoRefusal, ssoRefused } from '../auth/sso-refusal.ts'
import type { OAuthMethod } from '../store/oauth.ts'
import type { Company } from '../store/companies.ts'
import type { Outbound } from './outbound.ts'
import { authorizationUrl } from './provider.ts'
import { newState, stateHash, tiesOf } from './state.ts'
import { traced, type Visit } from './trace.ts'
import { findWay, type WayDeps, type Way } from './ways.ts'

export interface OAuthDeps extends WayDeps {
  readonly outbound: Outbound
  /** Where others reach this service. */
  readonly siteUrl: () => string
}

/** Where a sign-in begins. */
export interface Beginning extends Visit {
  readonly companyName: string
  readonly method: OAuthMethod
  readonly redirectUri: string | undefined
}

/** Where the provider sends browsers back to. */
export function callbackUri(siteUrl: string): string {
  return `${siteUrl}/v1/oauth/callback`
}

/** Where the app of this service takes over. */
export function appUri(siteUrl: string): string {
  return `${siteUrl}/users/sso/oauth`
}

/**
 * Begins a sign-in: gives where the browser goes, and what ties it to the sign-in.
 * @throws ApiError `sso_refused`, alike for a company that there is not and one that does not sign in so
 */
export async function begin(
  deps: OAuthDeps,
  given: Beginning,
): Promise<{ url: string; state: string }> {
  const { companyName, method } = given
  const redirectUri = given.redirectUri ? readUri(given.redirectUri) : undefined
  const company = await deps.store.companies.findCompany(companyName)
  if (!company) throw ssoRefused('settings')
  return await traced(deps.store, { method, company }, given, async () => {
    const way = await findWay(deps, company.id, method)
    if (!way) throw new SsoRefusal('settings', 'The company does not sign in with this provider.')
    if (redirectUri !== undefined) checkRedirect(deps, way, redirectUri)
    return await beginAt(deps, company, way, { method, redirectUri, triedBy: undefined })
  })
}

/** Begins a sign-in with a provider that is known. */
export async function beginAt(
  deps: OAuthDeps,
  company: Company,
  { provider, version }: Way,
  how: { method: OAuthMethod; redirectUri: string | undefined; triedBy: string | undefined },
): Promise<{ url: string; state: string }> {
  const { outbound, seal, store, siteUrl } = deps
  const state = newState()
  const request = { companyId: company.id, version, ...how }
  await store.oauthFlow.putRequest(stateHash(seal, state), request)
  const ties = tiesOf(seal, state)
  return { url: await authorizationUrl(outbound, provider, callbackUri(siteUrl()), ties), state }
}

function readUri(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) invalid('redirectUri', text, 'an https address')
  return url.href
}

function checkRedirect({ siteUrl }: OAuthDeps, { redirectUris }: Way, uri: string): void {
  if (uri === appUri(siteUrl()) || redirectUris.includes(uri)) return
  throw new SsoRefusal(
    'redirect_uri',
    `redirectUri is ${shown(uri)}, which is not among the redirectUris of the settings.`,
  )
}
