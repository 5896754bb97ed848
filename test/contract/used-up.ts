import type { SessionEntry } from '../../shared/api/own-sessions.ts'
import type { Api } from '../support/api.ts'
import { request, type RequestOptions } from '../support/http.ts'
import { buildResponse } from '../support/saml-idp.ts'
import type { Service } from '../support/service.ts'
import { walkedKey, walkedUser } from './documented.ts'
import { oauthCode, oauthToken } from './oauth-walk.ts'

/** What is good once, so that it is made for the request that uses it up; undefined for all the others. */
export async function freshBody(
  service: Service,
  operationId: string,
): Promise<RequestOptions | undefined> {
  if (operationId === 'acceptInvitation') return await acceptanceBy(service.owner)
  if (operationId.startsWith('renew')) return renewalOf(await service.signIn())
  if (operationId === 'resetPassword') return await resetBy(service)
  if (operationId === 'consumeSamlResponse') return samlResponseFor(service)
  if (operationId === 'openSamlSession') return await samlCodeBy(service)
  if (operationId === 'openOAuthSession') return await oauthCode(service)
  if (operationId === 'signInWithToken') return await oauthToken(service)
  return undefined
}

/** The form that renews a session. */
function renewalOf({ session }: Api): RequestOptions {
  return {
    form: {
      email: session.identifier,
      companyId: session.company_id,
      orgId: session.org_id,
      renewToken: session.renew_token,
    },
  }
}

/** The body that accepts an invitation. */
async function acceptanceBy(owner: Api): Promise<RequestOptions> {
  const email = 'joiner@example.com'
  const made = await owner.send('POST', '/users/invite', { form: { email } })
  const { accept_url: link } = made.json as { accept_url: string }
  const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code')
  return { json: { email, code, password: 'a password of theirs' } }
}

/** What the browser brings from the provider of the walk, which must be set. */
function samlResponseFor({ baseUrl, local }: Service): RequestOptions {
  const { origin } = new URL(baseUrl)
  const saml = `${origin}/v1/users/auth/saml`
  const given = { issuer: 'https://idp.example', acs: `${saml}/acs`, audience: `${saml}/metadata` }
  const xml = buildResponse(walkedKey, { ...given, email: 'sso@example.com' })
  const RelayState = `${local.company.name}|||${origin}/users/sso/saml/acs|||/`
  return { form: { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState } }
}

/** The code behind a sign-in with SAML. */
async function samlCodeBy(service: Service): Promise<RequestOptions> {
  const answer = await request(service.baseUrl, 'POST', '/v1/users/auth/saml/acs', {
    ...samlResponseFor(service),
  })
  const location = new URL(answer.headers.get('location') ?? '')
  return { json: { code: location.searchParams.get('SamlSessionCode') } }
}

/** Another session of the owner, to be ended. */
export async function otherSession(service: Service): Promise<string> {
  const other = await service.signIn()
  const listed = await other.get<SessionEntry[]>('/users/self/sessions')
  return listed.find(({ current }) => current)?.id ?? ''
}

/** Sets a new password for somebody; the code is made on the host of the controller. */
async function resetBy(service: Service): Promise<RequestOptions> {
  const { link } = await service.admin<{ link: string }>(['user', 'reset-password', walkedUser])
  const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code')
  return { json: { email: walkedUser, code, password: 'a password of theirs' } }
}
