import type { Answer, RequestOptions } from '../support/http.ts'
import { request } from '../support/http.ts'
import { oidcClient } from '../support/oidc-provider.ts'
import { startPlainProvider } from '../support/plain-oauth.ts'
import type { Service } from '../support/service.ts'

/** The OAuth provider of the walk. */
const provider = await startPlainProvider()

/** With which it is set. */
export const walkedOAuth = { ...provider.addresses, ...oidcClient }

/** Signs in at the provider; gives the path that it leads back to, and the cookie for it. */
async function oauthReturn(
  { baseUrl, local }: Service,
  { redirectUri, email }: { redirectUri?: string; email?: string } = {},
): Promise<{ path: string; options: RequestOptions }> {
  provider.userInfo = { email: email ?? 'sso@example.com' }
  const query = new URLSearchParams({
    companyName: local.company.name,
    ...(redirectUri ? { redirectUri } : {}),
  })
  const begun = await request(baseUrl, 'GET', `/v1/oauth/login?${query.toString()}`)
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';')
  const there = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' })
  const back = new URL(there.headers.get('location') ?? '')
  return { path: `${back.pathname}${back.search}`, options: { headers: { cookie } } }
}

/** The browser comes back from the provider. */
export async function comeBack(service: Service): Promise<Answer> {
  const { path, options } = await oauthReturn(service)
  return await request(service.baseUrl, 'GET', path, options)
}

/** The form that opens the session behind a sign-in. */
export async function oauthToken(service: Service, email?: string): Promise<RequestOptions> {
  const { path, options } = await oauthReturn(service, email ? { email } : {})
  const answer = await request(service.baseUrl, 'GET', path, options)
  const { access_token: accessToken } = answer.json as { access_token: string }
  return { form: { companyName: service.local.company.name, accessToken, provider: 'oauth' } }
}

/** The code of a browser that came back, with its cookie. */
export async function oauthCode(service: Service): Promise<RequestOptions> {
  const redirectUri = `${new URL(service.baseUrl).origin}/users/sso/oauth`
  const { path, options } = await oauthReturn(service, { redirectUri })
  const answer = await request(service.baseUrl, 'GET', path, options)
  const { searchParams } = new URL(answer.headers.get('location') ?? '')
  return { ...options, json: { code: searchParams.get('OAuthSessionCode') } }
}

/** Does it in a company without passwords, whose only proven way in is the provider of the walk. */
export async function withProviderOnly(
  service: Service,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const { owner, local, baseUrl } = service
  const preferences = `/companies/${local.company.id}/auth/prefs`
  await request(baseUrl, 'POST', '/v1/users/auth/sso', await oauthToken(service, local.owner.email))
  await owner.send('POST', preferences, { json: { passwordEnabled: false } })
  const answer = await work()
  await owner.send('POST', preferences, { json: { passwordEnabled: true } })
  return answer
}
