import { inflateRawSync } from 'node:zlib'
import type { Session } from '../../shared/api/sessions.ts'
import type { SignInFailure } from '../../shared/api/sign-in-failures.ts'
import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import { apiOf, type Api } from './api.ts'
import { request, type Answer } from './http.ts'
import { newEmail, type TestController } from './in-process.ts'
import {
  buildResponse,
  makeKey,
  type ResponseOptions,
  type SignOptions,
  type SigningKey,
} from './saml-idp.ts'

/** A company that signs in with an identity provider of the test. */
export interface SamlCompany {
  readonly company: { readonly id: string; readonly name: string }
  readonly team: { readonly id: string; readonly name: string }
  readonly key: SigningKey
  readonly issuer: string
  readonly admin: Api
  readonly app: string
  readonly acs: string
  readonly audience: string
  configure(change?: Record<string, string>): Promise<Answer>
  /** Begins a sign-in; gives the id of the request, and the address of the provider. */
  begin(destination?: string): Promise<{ id: string; url: URL; relayState: string }>
  /** A response with good defaults, signed. */
  build(given?: Partial<ResponseOptions>, how?: SignOptions, key?: SigningKey): string
  post(xml: string, relayState?: string): Promise<Answer>
  /** The session behind the code of an answer. */
  exchange(answer: Answer): Promise<Answer>
  /** A sign-in that the provider begins, from its response to the session. */
  enter(given?: Partial<ResponseOptions>, how?: SignOptions): Promise<Api>
  failures(): Promise<SignInFailure[]>
  placeOf(email: string): Promise<
    | {
        roles: readonly CompanyRole[]
        teams: Readonly<Record<string, readonly TeamRole[]>>
      }
    | undefined
  >
}

/** The id of the request to sign in that an address carries to the provider. */
export function requestIdIn(url: URL): string {
  const sent = Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')
  const [, id = ''] = / ID="([^"]+)"/.exec(inflateRawSync(sent).toString()) ?? []
  return id
}

export async function addSamlCompany(
  controller: TestController,
  name: string,
  key?: SigningKey,
): Promise<SamlCompany> {
  const { baseUrl, store } = controller
  const company = await store.companies.addCompany(newEmail(name).replace('@example.com', ''))
  const team = await store.companies.addTeam(company, 'Payments')
  const admin = await controller.join(company, {
    email: newEmail('admin'),
    roles: ['COMPANY_OWNER'],
  })
  const issuer = `https://idp.example/${company.name}`
  const ownKey = key ?? (await makeKey())
  const saml = `${baseUrl}/v1/users/auth/saml`
  const [app, acs, audience] = [`${baseUrl}/users/sso/saml/acs`, `${saml}/acs`, `${saml}/metadata`]
  const one: SamlCompany = {
    company,
    team,
    key: ownKey,
    issuer,
    admin,
    app,
    acs,
    audience,
    configure: (change = {}) =>
      admin.send('POST', `/companies/${company.id}/saml/props`, {
        form: {
          enabled: 'true',
          entityId: issuer,
          idpUrl: 'https://idp.example/sso',
          certificate: ownKey.certificate,
          idpInitiated: 'true',
          ...change,
        },
      }),
    async begin(destination = '/attacks') {
      const query = new URLSearchParams({ companyName: company.name, destination })
      const answer = await request(baseUrl, 'GET', `/v1/users/auth/saml/login?${query.toString()}`)
      const url = new URL(answer.headers.get('location') ?? '')
      return { id: requestIdIn(url), url, relayState: url.searchParams.get('RelayState') ?? '' }
    },
    build: (given = {}, how = {}, signer = ownKey) =>
      buildResponse(signer, { issuer, acs, audience, email: newEmail('person'), ...given }, how),
    post: (xml, relayState = `${company.name}|||${app}|||/`) =>
      request(baseUrl, 'POST', '/v1/users/auth/saml/acs', {
        form: { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState },
      }),
    async exchange(answer) {
      const [, code = ''] =
        /\?SamlSessionCode=([^&]+)&/.exec(answer.headers.get('location') ?? '') ?? []
      return await request(baseUrl, 'POST', '/v1/users/auth/saml/sessions', { json: { code } })
    },
    async enter(given, how) {
      const answer = await one.post(one.build(given, how))
      if (answer.status !== 303)
        throw new Error(`${answer.text} ${JSON.stringify((await one.failures())[0])}`)
      return apiOf(baseUrl, (await one.exchange(answer)).json as Session)
    },
    failures: () => admin.get('/users/auth/saml/failures'),
    async placeOf(email) {
      const user = await store.users.findByEmail(email)
      const member = user && (await store.members.find(company.id, user.id))
      return member && { roles: member.roles, teams: member.teams }
    },
  }
  await one.configure()
  return one
}
