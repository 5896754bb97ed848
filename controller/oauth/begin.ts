import { safeDestination } from '../auth/destination.ts'
import { invalid } from '../records/invalid.ts'
import { shown, SsoRefusal, ssoRefused } from '../auth/sso-refusal.ts'
import type { OAuthMethod, OAuthTest } from '../store/oauth.ts'
import type { Company } from '../store/companies.ts'
import type { Outbound } from './outbound.ts'
import { authorizationUrl } from './provider.ts'
import { newState, stateHash, tiesOf } from './state.ts'
import { noCompany, traced, type Visit } from './trace.ts'
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
  readonly test: OAuthTest | undefined
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
  const company = (await deps.store.companies.findCompany(companyName)) ?? noCompany
  return await traced(deps.store, { method, company }, given, async () => {
    const test = given.test && (await checkTest(deps, company, method, given.test))
    const way = await findWay(deps, company.id, method, test !== undefined)
    if (!way) throw ssoRefused('settings')
    if (redirectUri !== undefined) checkRedirect(deps, way, redirectUri)
    const { outbound, seal, store, siteUrl } = deps
    const state = newState()
    const request = { companyId: company.id, method, version: way.version, redirectUri, test }
    await store.oauthFlow.putRequest(stateHash(seal, state), request)
    const back = callbackUri(siteUrl())
    const ties = tiesOf(seal, state)
    return { url: await authorizationUrl(outbound, way.provider, back, ties), state }
  })
}

/** Only an admin of the company can have begun it, and it waits. @throws SsoRefusal `test` */
async function checkTest(
  { store, siteUrl }: OAuthDeps,
  company: Company,
  method: OAuthMethod,
  { id, destination }: OAuthTest,
): Promise<OAuthTest> {
  const test = await store.ssoTests.read(company.id, id)
  const waits = test?.state === 'WAITING' && Date.parse(test.expiresAt) > Date.now()
  if (!test || !waits || test.protocol !== method)
    throw new SsoRefusal('test', 'No such sign-in to try the provider waits.')
  return { id, destination: safeDestination(destination, appUri(siteUrl())) }
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
