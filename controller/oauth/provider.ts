import * as openid from 'openid-client'
import { shown, SsoRefusal } from '../auth/sso-refusal.ts'
import type { DiscoveredProvider, ProviderAddresses } from '../store/sign-in-settings.ts'
import type { Outbound } from './outbound.ts'

/** A provider, and as whom it knows this service. */
export interface Provider extends ProviderAddresses {
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
  readonly discovered: DiscoveredProvider | undefined
}

/** What a sign-in is tied to: nobody else can use what the provider answers to it. */
export interface Ties {
  readonly state: string
  readonly verifier: string
  readonly nonce: string
}

/** What the provider says of somebody. */
export interface Vouched {
  readonly accessToken: string
  /** How long the token lasts, if it says so. */
  readonly expiresIn: number | undefined
  readonly userInfo: Readonly<Record<string, unknown>>
  /** Claims of the ID token, which was verified; undefined without one. */
  readonly idToken: Readonly<Record<string, unknown>> | undefined
}

const timeoutSeconds = 5

/** The address at the provider where a sign-in begins. */
export async function authorizationUrl(
  outbound: Outbound,
  provider: Provider,
  redirectUri: string,
  ties: Ties,
): Promise<string> {
  const config = configure(outbound, provider, 'post')
  return openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: provider.scope,
    state: ties.state,
    code_challenge: await openid.calculatePKCECodeChallenge(ties.verifier),
    code_challenge_method: 'S256',
    ...(wantsIdToken(provider) ? { nonce: ties.nonce } : {}),
  }).href
}

/**
 * Redeems what the browser brought back, and asks who it is.
 * @throws SsoRefusal `provider` saying what went wrong
 */
export async function redeem(
  outbound: Outbound,
  provider: Provider,
  callback: URL,
  ties: Ties,
): Promise<Vouched> {
  const here = new URL(callback)
  // Whose name that should be is not known.
  if (!provider.discovered) here.searchParams.delete('iss')
  const grant = (auth: TokenAuth) =>
    openid.authorizationCodeGrant(configure(outbound, provider, auth), here, {
      expectedState: ties.state,
      pkceCodeVerifier: ties.verifier,
      ...(wantsIdToken(provider) ? { expectedNonce: ties.nonce } : {}),
    })
  const known = provider.discovered?.tokenAuth
  const tokens = await asked('the token', () =>
    known ? grant(known) : grant('post').catch((error) => retried(error, () => grant('basic'))),
  )
  const idToken = tokens.claims()
  const userInfo = await readUserInfo(outbound, provider, tokens.access_token)
  if (idToken && userInfo['sub'] !== idToken.sub)
    throw new SsoRefusal(
      'provider',
      `userInfoUri tells of ${shownClaim(userInfo['sub'])}, the ID token of ${shown(idToken.sub)}.`,
    )
  const expiresIn = tokens.expires_in
  return { accessToken: tokens.access_token, expiresIn, userInfo, idToken }
}

/** Whose access token it is. @throws SsoRefusal `provider` */
export async function readUserInfo(
  outbound: Outbound,
  provider: Provider,
  accessToken: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await asked('userInfoUri', () =>
    openid.fetchProtectedResource(
      configure(outbound, provider, 'post'),
      accessToken,
      new URL(provider.userInfoUri),
      'GET',
      undefined,
      new Headers({ accept: 'application/json' }),
    ),
  )
  if (answer.status !== 200)
    throw new SsoRefusal('provider', `userInfoUri answered ${answer.status}.`)
  const claims: unknown = await answer.json().catch(() => undefined)
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    throw new SsoRefusal('provider', 'userInfoUri answered no JSON object.')
  return claims as Record<string, unknown>
}

/**
 * What a provider says of itself.
 * @throws SsoRefusal `provider`
 */
export async function discover(
  outbound: Outbound,
  issuer: string,
): Promise<DiscoveredProvider & ProviderAddresses> {
  const config = await asked('the discovery', () =>
    openid.discovery(new URL(issuer), 'discovery', undefined, openid.None(), {
      [openid.customFetch]: fetchBy(outbound),
      timeout: timeoutSeconds,
      execute: [openid.allowInsecureRequests],
    }),
  )
  const server = config.serverMetadata()
  const { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = server
  if (!authorization_endpoint || !token_endpoint || !userinfo_endpoint || !jwks_uri)
    throw new SsoRefusal('provider', 'The provider does not tell all of its addresses.')
  const auths = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return {
    authorizationUri: authorization_endpoint,
    tokenUri: token_endpoint,
    userInfoUri: userinfo_endpoint,
    issuer: server.issuer,
    jwksUri: jwks_uri,
    tokenAuth: auths.includes('client_secret_post') ? 'post' : 'basic',
    namesItself: server.authorization_response_iss_parameter_supported === true,
    algorithms: server.id_token_signing_alg_values_supported ?? ['RS256'],
  }
}

type TokenAuth = DiscoveredProvider['tokenAuth']

/** An ID token is asked for where it can be verified. */
function wantsIdToken({ discovered, scope }: Provider): boolean {
  return discovered !== undefined && scope.split(' ').includes('openid')
}

function configure(outbound: Outbound, provider: Provider, auth: TokenAuth): openid.Configuration {
  const { discovered, clientId, clientSecret } = provider
  const config = new openid.Configuration(
    {
      // Without discovery it stands for nothing: all that would be compared with it is left out.
      issuer: discovered?.issuer ?? new URL(provider.authorizationUri).origin,
      authorization_endpoint: provider.authorizationUri,
      token_endpoint: provider.tokenUri,
      userinfo_endpoint: provider.userInfoUri,
      ...(discovered
        ? {
            jwks_uri: discovered.jwksUri,
            authorization_response_iss_parameter_supported: discovered.namesItself,
            id_token_signing_alg_values_supported: [...discovered.algorithms],
          }
        : {}),
    },
    clientId,
    {},
    auth === 'post'
      ? openid.ClientSecretPost(clientSecret)
      : openid.ClientSecretBasic(clientSecret),
  )
  config.timeout = timeoutSeconds
  const fetch = fetchBy(outbound)
  const { tokenUri } = provider
  config[openid.customFetch] = wantsIdToken(provider) ? fetch : withoutIdToken(fetch, tokenUri)
  // Which addresses may be without TLS is up to `outbound`.
  openid.allowInsecureRequests(config)
  if (discovered) openid.enableNonRepudiationChecks(config)
  return config
}

function fetchBy(outbound: Outbound): openid.CustomFetch {
  return async (url, { method, headers, body, signal }) =>
    await outbound(url, {
      method,
      headers,
      body:
        body === undefined || body === null
          ? undefined
          : (body as string | URLSearchParams).toString(),
      signal,
    })
}

/** What nobody asked for and nobody can verify is not looked at. */
function withoutIdToken(fetch: openid.CustomFetch, tokenUri: string): openid.CustomFetch {
  return async (url, options) => {
    const answer = await fetch(url, options)
    if (url !== tokenUri || !answer.ok) return answer
    const body: unknown = await answer.json().catch(() => undefined)
    const known = Object(body) === body ? { ...(body as object), id_token: undefined } : body
    const { status } = answer
    return new Response(JSON.stringify(known ?? null), {
      status,
      headers: { 'content-type': 'application/json' },
    })
  }
}

/** Which of the two ways the provider wants is not known: the code is still good when it refuses the first. */
async function retried<T>(error: unknown, again: () => Promise<T>): Promise<T> {
  const isRefused =
    (error instanceof openid.ResponseBodyError && error.error === 'invalid_client') ||
    error instanceof openid.WWWAuthenticateChallengeError
  if (isRefused) return await again()
  throw error
}

async function asked<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw refusalOf(what, error)
  }
}

/** Only what the standard says a provider may say is told, never the text of an answer. */
function refusalOf(what: string, error: unknown): SsoRefusal {
  for (let one: unknown = error; one instanceof Error; one = one.cause)
    if (one instanceof SsoRefusal) return one
  if (error instanceof openid.AuthorizationResponseError)
    return new SsoRefusal('provider', `The provider answered ${shown(error.error)}.`)
  if (error instanceof openid.ResponseBodyError)
    return new SsoRefusal('provider', `${what} was refused with ${shown(error.error)}.`)
  const { code = 'no code', message } = error as { code?: string; message: string }
  const text = `${what}: ${message} (${code})`
  return new SsoRefusal('provider', text.slice(0, 300))
}

function shownClaim(value: unknown): string {
  return typeof value === 'string' ? shown(value) : 'nobody'
}
