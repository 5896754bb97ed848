import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { oidcClient } from './oidc-provider.ts'

/** What an endpoint answers in place of what it should. */
export type Reply = (response: ServerResponse) => void

/**
 * A provider of bare OAuth: no discovery, no ID tokens; whoever comes is signed in as `userInfo` says. A test
 * makes it answer what no good provider would.
 */
export interface PlainProvider extends AsyncDisposable {
  readonly addresses: { authorizationUri: string; tokenUri: string; userInfoUri: string }
  /** What userInfoUri answers, whatever the token. */
  userInfo: unknown
  /** Bodies that came to tokenUri. */
  readonly redeemed: URLSearchParams[]
  tokenReply: Reply | undefined
  userInfoReply: Reply | undefined
  /** Added to what the token endpoint answers. */
  tokenMore: object
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
  const waiting = new Map<string, string>()
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: PlainProvider = {
    addresses: {
      authorizationUri: `${origin}/authorize`,
      tokenUri: `${origin}/token`,
      userInfoUri: `${origin}/me`,
    },
    userInfo: {},
    redeemed: [],
    tokenReply: undefined,
    userInfoReply: undefined,
    tokenMore: {},
    [Symbol.asyncDispose]: () => close(server),
  }
  return provider
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

async function answer(
  provider: PlainProvider,
  waiting: Map<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://localhost')
  if (url.pathname === '/authorize') return authorize(waiting, url, response)
  if (url.pathname === '/me') {
    if (provider.userInfoReply) return provider.userInfoReply(response)
    return sendJson(response, 200, provider.userInfo)
  }
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
  if (waiting.get(code) !== challenge) return sendJson(response, 400, { error: 'invalid_grant' })
  waiting.delete(code)
  const token = { access_token: randomBytes(24).toString('base64url'), token_type: 'Bearer' }
  sendJson(response, 200, { ...token, ...provider.tokenMore })
}

function authorize(waiting: Map<string, string>, url: URL, response: ServerResponse): void {
  const code = randomBytes(12).toString('base64url')
  waiting.set(code, url.searchParams.get('code_challenge') ?? '')
  const back = new URL(url.searchParams.get('redirect_uri') ?? '')
  back.searchParams.set('code', code)
  back.searchParams.set('state', url.searchParams.get('state') ?? '')
  response.writeHead(303, { location: back.href }).end()
}
