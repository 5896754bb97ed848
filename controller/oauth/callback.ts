import { randomBytes } from 'node:crypto'
import type { AuditNote } from '../audit/of-request.ts'
import type { RoleChange } from '../auth/apply-claims.ts'
import { SsoRefusal } from '../auth/sso-refusal.ts'
import type { Company } from '../store/companies.ts'
import type { OAuthRequest } from '../store/oauth.ts'
import { previewAdmission, type Vouchee } from './admission.ts'
import { appUri, callbackUri, type OAuthDeps } from './begin.ts'
import { identityOf, publicIdentityOf, roleClaimsOf } from './identity.ts'
import { redeem, type Vouched } from './provider.ts'
import { isSame, stateHash, stateIn, tiesOf } from './state.ts'
import { codeKey, tokenKey } from './tickets.ts'
import { endTest } from './try.ts'
import { traced, type Trace, type Visit } from './trace.ts'
import { findWay, type Way } from './ways.ts'

/** What a browser brings back from a provider. */
export interface Return extends Visit {
  readonly query: Readonly<Partial<Record<'state' | 'code' | 'iss' | 'error', string>>>
  readonly cookies: string | undefined
}

/** What becomes of a sign-in that the provider vouches for. */
export type Returned =
  | { readonly kind: 'token'; readonly accessToken: string }
  | { readonly kind: 'redirect'; readonly location: string; readonly isOwn: boolean }

const codeSeconds = 60
const tokenSeconds = 600

/**
 * Takes a browser back that was at a provider. Nobody is made or changed yet: that happens when the session is
 * asked for.
 * @throws ApiError `sso_refused`, the same whatever is wrong; the company's admins can read what was
 */
export async function comeBack(deps: OAuthDeps, given: Return, note: AuditNote): Promise<Returned> {
  const trace: Trace = { method: 'oauth', issuer: given.query.iss }
  return await traced(deps.store, trace, given, () => finish(deps, given, trace, note), note)
}

async function finish(
  deps: OAuthDeps,
  given: Return,
  trace: Trace,
  note: AuditNote,
): Promise<Returned> {
  const claimed = await claimRequest(deps, given, trace)
  const { company, request } = claimed
  if (request.test) {
    const location = await endTest(deps, company, request.test, trace, async (came) => {
      const { way, vouched } = await askProvider(deps, claimed, given)
      came(vouched)
      return (await vouch(deps, company, way, request.method, vouched, trace)).change
    })
    return { kind: 'redirect', location, isOwn: false }
  }
  const { way, vouched } = await askProvider(deps, claimed, given)
  const { vouchee } = await vouch(deps, company, way, request.method, vouched, trace)
  note.claim(vouchee.email, company.id)
  note.entered([company.id])
  return await leave(deps, claimed, vouched, vouchee)
}

/** What the provider says, while the settings are those that the sign-in began with. */
async function askProvider(
  deps: OAuthDeps,
  { state, company, request }: Claimed,
  { query }: Return,
): Promise<{ way: Way; vouched: Vouched }> {
  const way = await findWay(deps, company.id, request.method, request.test !== undefined)
  if (!way || way.version !== request.version)
    throw new SsoRefusal(
      'settings',
      'The company does not sign in so any more, or its settings were changed since the sign-in began.',
    )
  const here = new URL(callbackUri(deps.siteUrl()))
  for (const [name, value] of Object.entries(query)) here.searchParams.set(name, value)
  const ties = tiesOf(deps.seal, state)
  return { way, vouched: await redeem(deps.outbound, way.provider, here, ties) }
}

/** Keeps whom the provider vouches for, until the session is asked for. */
async function leave(
  { store, seal, siteUrl }: OAuthDeps,
  { state, request }: Claimed,
  { accessToken, expiresIn }: Vouched,
  vouchee: Vouchee,
): Promise<Returned> {
  const { companyId, version, redirectUri } = request
  const ticket = { companyId, version, ...vouchee, stateHash: undefined }
  if (redirectUri === undefined) {
    const seconds = Math.max(1, Math.min(expiresIn ?? tokenSeconds, tokenSeconds))
    await store.oauthFlow.putTicket(tokenKey(seal, accessToken), ticket, seconds)
    return { kind: 'token', accessToken }
  }
  const code = randomBytes(32).toString('base64url')
  const isOwn = redirectUri === appUri(siteUrl())
  const bound = isOwn ? stateHash(seal, state) : undefined
  await store.oauthFlow.putTicket(codeKey(seal, code), { ...ticket, stateHash: bound }, codeSeconds)
  const location = new URL(redirectUri)
  location.searchParams.set('OAuthSessionCode', code)
  return { kind: 'redirect', location: location.href, isOwn }
}

/** A sign-in that came back to its own browser. */
interface Claimed {
  readonly state: string
  readonly company: Company
  readonly request: OAuthRequest
}

/**
 * The sign-in that comes back, which is used up. Another browser's is not: whoever is led here by somebody else
 * must not spoil it.
 */
async function claimRequest(
  { store, seal }: OAuthDeps,
  { query, cookies }: Return,
  trace: Trace,
): Promise<Claimed> {
  const { state = '' } = query
  const hash = stateHash(seal, state)
  const named = await store.oauthFlow.findRequest(hash)
  const company = named && (await store.companies.readCompany(named.companyId))
  if (named) Object.assign(trace, { company, method: named.method })
  if (!isSame(stateIn(cookies), state))
    throw new SsoRefusal('state', 'The sign-in began in another browser: cookie and state differ.')
  const request = await store.oauthFlow.takeRequest(hash)
  if (!request || !company)
    throw new SsoRefusal('state', 'No sign-in with this state waits: it took too long, or is over.')
  return { state, company, request }
}

/**
 * Whom the provider means, and what would change with their sign-in.
 * @throws SsoRefusal
 */
export async function vouch(
  { store }: Pick<OAuthDeps, 'store'>,
  company: Company,
  way: Way,
  method: OAuthRequest['method'],
  said: Pick<Vouched, 'userInfo' | 'idToken'>,
  trace: Trace,
): Promise<{ vouchee: Vouchee; change: RoleChange }> {
  trace.isProven = true
  const { email, domain } =
    method === 'oauth'
      ? { email: identityOf(said), domain: undefined }
      : publicIdentityOf(said, way.provider.discovered?.issuer ?? '')
  trace.email = email
  const claims = method === 'oauth' ? roleClaimsOf(said) : undefined
  const vouchee = { method, email, claims, domain }
  const change = await previewAdmission(store, company, vouchee, way.claimsRequired)
  return { vouchee, change }
}
