import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

/** The parts of oidc-provider that are used; it brings no types. */
interface OidcProvider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ params: Record<string, string | undefined>; uid: string }>
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: object,
  ): Promise<void>
  readonly Grant: new (of: { accountId: string; clientId: string }) => {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }
}

type ProviderClass = new (issuer: string, configuration: object) => OidcProvider

export type Claims = Record<string, unknown>

/** A real OpenID Connect provider of the test, over HTTP on loopback. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string
  /** What it says of people, by their login. */
  readonly people: Map<string, Claims>
  /** Paths that were asked for. */
  readonly asked: string[]
}

export interface ProviderOptions {
  /** Where it may send browsers back to. */
  readonly redirectUris: readonly string[]
  readonly tokenAuth?: 'client_secret_post' | 'client_secret_basic'
  /** `localhost` is another site than 127.0.0.1, for browsers. */
  readonly host?: 'localhost' | '127.0.0.1'
}

export const oidcClient = { clientId: 'temblor', clientSecret: 'a secret of the test' } as const
/** Another client of the same provider. */
export const otherClient = { clientId: 'other', clientSecret: 'another secret' } as const

/** Starts one. Whoever comes with `login_hint` is signed in as that; others are asked for their login. */
export async function startOidcProvider({
  redirectUris,
  tokenAuth = 'client_secret_post',
  host = '127.0.0.1',
}: ProviderOptions): Promise<TestProvider> {
  const people = new Map<string, Claims>()
  const asked: string[] = []
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`
  const provider = await makeProvider(issuer, people, redirectUris, tokenAuth)
  const answer = provider.callback()
  server.on('request', (request, response) => {
    asked.push((request.url ?? '').split('?')[0] ?? '')
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    void interact(provider, request, response)
  })
  return {
    issuer,
    people,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function makeProvider(
  issuer: string,
  people: ReadonlyMap<string, Claims>,
  redirectUris: readonly string[],
  tokenAuth: string,
): Promise<OidcProvider> {
  const require = createRequire(import.meta.url)
  const { Provider } = (await import(require.resolve('oidc-provider'))) as {
    Provider: ProviderClass
  }
  const client = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => ({
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: tokenAuth,
  })
  return new Provider(issuer, {
    jwks: { keys: [signingKey()] },
    clients: [client(oidcClient), client(otherClient)],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified', 'hd'],
      roles: ['company_roles', 'team_roles'],
    },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people.get(id) }),
    }),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['of the test'] },
    ttl: { Grant: 600, Interaction: 600, Session: 600, AccessToken: 600, IdToken: 600 },
  })
}

/** Each provider has one of its own. */
function signingKey(): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'of the test' }
}

/** Signs somebody in and gives all that is asked for; without a login it shows a form. */
async function interact(
  provider: OidcProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const accountId =
    request.method === 'POST' ? new URLSearchParams(await textOf(request)).get('login') : undefined
  const login = accountId ?? params['login_hint']
  if (!login) {
    response.setHeader('content-type', 'text/html')
    response.end('<form method="post"><input name="login"><button>Sign in</button></form>')
    return
  }
  const grant = new provider.Grant({ accountId: login, clientId: params['client_id'] ?? '' })
  grant.addOIDCScope(params['scope'] ?? '')
  await provider.interactionFinished(request, response, {
    login: { accountId: login },
    consent: { grantId: await grant.save() },
  })
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
