import type { Session } from '../../shared/api/sessions.ts'
import type { SignInFailure } from '../../shared/api/sign-in-failures.ts'
import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import { apiOf, type Api } from './api.ts'
import { newBrowser, type Browser } from './cookies.ts'
import { request, type Answer } from './http.ts'
import { newEmail, type TestController } from './in-process.ts'
import { oidcClient } from './oidc-provider.ts'

/** A sign-in that began: where the browser is sent, and the state that it was given. */
export interface Begun {
  readonly url: URL
  readonly state: string
  readonly setCookie: string
}

/** A company that signs in with an OAuth provider of the test. */
export interface OAuthCompany {
  readonly company: { readonly id: string; readonly name: string }
  readonly team: { readonly id: string; readonly name: string }
  readonly admin: Api
  configure(change?: Record<string, unknown>): Promise<Answer>
  begin(query?: Record<string, string>): Promise<Begun>
  /** Signs in at the provider; gives where it sends the browser back to. */
  atProvider(begun: Begun, login: string, browser?: Browser): Promise<URL>
  /** From the beginning to what the provider sends the browser back with. */
  sent(login: string, query?: Record<string, string>): Promise<{ begun: Begun; back: URL }>
  /** The callback with this cookie. */
  comeBack(back: URL, cookie?: string): Promise<Answer>
  /** The access token of a whole sign-in. */
  token(login: string, query?: Record<string, string>): Promise<string>
  sso(accessToken: string, more?: Record<string, string>): Promise<Answer>
  /** A sign-in from its beginning to the session. */
  enter(login: string): Promise<Api>
  failures(): Promise<SignInFailure[]>
  placeOf(email: string): Promise<
    | {
        roles: readonly CompanyRole[]
        teams: Readonly<Record<string, readonly TeamRole[]>>
      }
    | undefined
  >
}

/** The three addresses of a provider from oidc-provider. */
export function addressesOf(issuer: string) {
  return {
    authorizationUri: `${issuer}/auth`,
    tokenUri: `${issuer}/token`,
    userInfoUri: `${issuer}/me`,
  }
}

export async function addOAuthCompany(
  controller: TestController,
  name: string,
  settings: Record<string, unknown>,
): Promise<OAuthCompany> {
  const { baseUrl, store } = controller
  const company = await store.companies.addCompany(newEmail(name).replace('@example.com', ''))
  const team = await store.companies.addTeam(company, 'Payments')
  const joined = await controller.join(company, {
    email: newEmail('admin'),
    roles: ['COMPANY_OWNER'],
  })
  // Of several controllers the one that is given.
  const admin = apiOf(baseUrl, joined.session)
  const one: OAuthCompany = {
    company,
    team,
    admin,
    configure: (change = {}) =>
      admin.send('POST', `/companies/${company.id}/oauth/settings`, {
        json: { ...oidcClient, ...settings, ...change },
      }),
    async begin(query = {}) {
      const all = new URLSearchParams({ companyName: company.name, ...query })
      const answer = await request(baseUrl, 'GET', `/v1/oauth/login?${all.toString()}`)
      if (answer.status !== 307) throw new Error(`${answer.status} ${answer.text}`)
      const setCookie = answer.headers.get('set-cookie') ?? ''
      const [, state = ''] = /^oauth_state=([\w-]+);/.exec(setCookie) ?? []
      return { url: new URL(answer.headers.get('location') ?? ''), state, setCookie }
    },
    async atProvider({ url }, login, browser = newBrowser()) {
      const start = new URL(url)
      if (login) start.searchParams.set('login_hint', login)
      for (let next = start.href; ;) {
        const answer = await browser.visit(next)
        const location = answer.headers.get('location')
        if (!location) throw new Error(`${next}: ${answer.status} ${await answer.text()}`)
        next = new URL(location, next).href
        if (new URL(next).pathname === '/v1/oauth/callback') return new URL(next)
      }
    },
    async sent(login, query) {
      const begun = await one.begin(query)
      return { begun, back: await one.atProvider(begun, login) }
    },
    comeBack: (back, cookie) =>
      request(baseUrl, 'GET', `${back.pathname}${back.search}`, {
        headers: cookie === undefined ? {} : { cookie: `oauth_state=${cookie}` },
      }),
    async token(login, query) {
      const { begun, back } = await one.sent(login, query)
      const answer = await one.comeBack(back, begun.state)
      if (answer.status !== 200) {
        const [trace] = await one.failures()
        throw new Error(`${answer.text} ${JSON.stringify(trace)}`)
      }
      return (answer.json as { access_token: string }).access_token
    },
    sso: (accessToken, more = {}) =>
      request(baseUrl, 'POST', '/v1/users/auth/sso?getCompanySession=true', {
        form: { companyName: company.name, accessToken, provider: 'oauth', ...more },
      }),
    async enter(login) {
      const answer = await one.sso(await one.token(login))
      if (answer.status !== 200)
        throw new Error(`${answer.text} ${JSON.stringify((await one.failures())[0])}`)
      return apiOf(baseUrl, answer.json as Session)
    },
    failures: () => admin.get('/users/auth/saml/failures'),
    async placeOf(email) {
      const user = await store.users.findByEmail(email)
      const member = user && (await store.members.find(company.id, user.id))
      return member && { roles: member.roles, teams: member.teams }
    },
  }
  const answer = await one.configure()
  if (answer.status !== 200) throw new Error(answer.text)
  return one
}
