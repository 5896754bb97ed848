import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { oidcClient } from './oidc-provider.ts'

/** What an endpoint answers in place of what it should. */
export type Reply = (response: ServerResponse) => void

/**
 * A provider of bare OAuth; whoever comes is signed in as `userInfo` says. A test makes it answer what no good
 * provider would, ID tokens among it.
 */
export interface PlainProvider extends AsyncDisposable {
  /** It tells its addresses there, and a key with `kid` 1. */
  readonly issuer: string
  readonly key: KeyObject
  readonly addresses: { authorizationUri: string; tokenUri: string; userInfoUri: string }
  /** What userInfoUri answers, whatever the token. */
  userInfo: unknown
  /** Bodies that came to tokenUri. */
  readonly redeemed: URLSearchParams[]
  tokenReply: Reply | undefined
  userInfoReply: Reply | undefined
  /** Added to what tokenUri answers to a sign-in with this nonce. */
  tokenMore: (nonce: string) => object
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Starts one on loopback; it keeps no process alive. */
export async function startPlainProvider(): Promise<PlainProvider> {
  const server = createServer((request, response) => {
    void answer(provider, waiting, request, response)
  })
  const waiting = new Map<string, Waiting>()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: PlainProvider = {
    issuer: origin,
    key: privateKey,
    addresses: {
      authorizationUri: `${origin}/authorize`,
      tokenUri: `${origin}/token`,
      userInfoUri: `${origin}/me`,
    },
    userInfo: {},
    redeemed: [],
    tokenReply: undefined,
    userInfoReply: undefined,
    tokenMore: () => ({}),
    [Symbol.asyncDispose]: () => close(server),
  }
  return provider
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

interface Waiting {
  readonly challenge: string
  readonly nonce: string
}

/** What a provider of OpenID Connect says of itself. */
function discoveryOf({ issuer, addresses }: PlainProvider): object {
  return {
    issuer,
    authorization_endpoint: addresses.authorizationUri,
    token_endpoint: addresses.tokenUri,
    userinfo_endpoint: addresses.userInfoUri,
    jwks_uri: `${issuer}/jwks`,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
}

/** The key with which it signs, as others may see it. */
function jwksOf({ key }: PlainProvider): object {
  const { kty, n, e } = createPublicKey(key).export({ format: 'jwk' })
  return { keys: [{ kty, n, e, kid: '1', use: 'sig', alg: 'RS256' }] }
}

async function answer(
  provider: PlainProvider,
  waiting: Map<string, Waiting>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://localhost')
  if (url.pathname === '/authorize') return authorize(waiting, url, response)
  if (url.pathname === '/.well-known/openid-configuration')
    return sendJson(response, 200, discoveryOf(provider))
  if (url.pathname === '/jwks') return sendJson(response, 200, jwksOf(provider))
  if (url.pathname === '/me') {
    if (provider.userInfoReply) return provider.userInfoReply(response)
    return sendJson(response, 200, provider.userInfo)
  }
  await redeem(provider, waiting, request, response)
}

async function redeem(
  provider: PlainProvider,
  waiting: Map<string, Waiting>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  const form = new URLSearchParams(text)
  provider.redeemed.push(form)
  if (provider.tokenReply) return provider.tokenReply(response)
  const code = form.get('code') ?? ''
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  if (form.get('client_secret') !== oidcClient.clientSecret)
    return sendJson(response, 401, { error: 'invalid_client' })
  const known = waiting.get(code)
  if (known?.challenge !== challenge) return sendJson(response, 400, { error: 'invalid_grant' })
  waiting.delete(code)
  const token = { access_token: randomBytes(24).toString('base64url'), token_type: 'Bearer' }
  sendJson(response, 200, { ...token, ...provider.tokenMore(known.nonce) })
}

function authorize(waiting: Map<string, Waiting>, url: URL, response: ServerResponse): void {
  const code = randomBytes(12).toString('base64url')
  waiting.set(code, {
    challenge: url.searchParams.get('code_challenge') ?? '',
    nonce: url.searchParams.get('nonce') ?? '',
  })
  const back = new URL(url.searchParams.get('redirect_uri') ?? '')
  back.searchParams.set('code', code)
  back.searchParams.set('state', url.searchParams.get('state') ?? '')
  response.writeHead(303, { location: back.href }).end()
}
