import type { Session } from '../../shared/api/sessions.ts'
import { changesOf } from '../audit/changes.ts'
import type { AuditNote } from '../audit/of-request.ts'
import type { Access } from '../auth/access.ts'
import { noteOAuthProof, notePublicProof } from '../auth/sign-in-rules.ts'
import { shown, SsoRefusal, ssoRefused } from '../auth/sso-refusal.ts'
import type { Company } from '../store/companies.ts'
import type { OAuthMethod, OAuthTicket } from '../store/oauth.ts'
import type { SignInOrigin } from '../store/sessions.ts'
import { emailKey } from '../store/users.ts'
import { admit } from './admission.ts'
import type { OAuthDeps } from './begin.ts'
import { vouch } from './callback.ts'
import { readUserInfo } from './provider.ts'
import { isSame, stateHash, stateIn } from './state.ts'
import { codeKey, tokenKey } from './tickets.ts'
import { noCompany, traced, type Trace, type Visit } from './trace.ts'
import { findWay, type Way } from './ways.ts'

export interface EnterDeps extends OAuthDeps {
  readonly access: Access
}

/** An access token, and for what it is said to be. */
export interface TokenForm extends Visit, SignInOrigin {
  readonly companyName: string
  readonly method: OAuthMethod
  readonly accessToken: string
  /** Empty: not said. */
  readonly email: string
}

/**
 * Opens the session behind an access token that was obtained here; where the company allows it, also of one
 * that was obtained elsewhere.
 * @throws ApiError `sso_refused`
 */
export async function enterByToken(
  deps: EnterDeps,
  given: TokenForm,
  note: AuditNote,
): Promise<Session> {
  const { companyName, method, email } = given
  const company = (await deps.store.companies.findCompany(companyName)) ?? noCompany
  const trace: Trace = { method, company, email: email || undefined }
  const work = async () => {
    const ticket = await ticketOfToken(deps, company, given, trace)
    if (email && emailKey(email) !== ticket.email)
      throw new SsoRefusal('identity', `The access token is of ${shown(ticket.email)}.`)
    return await enter(deps, company, ticket, trace, given, note)
  }
  return await traced(deps.store, trace, given, work, note)
}

/** Opens the session behind the code of a browser. @throws ApiError `sso_refused` */
export async function enterByCode(
  deps: EnterDeps,
  given: Visit & SignInOrigin & { readonly code: string; readonly cookies: string | undefined },
  note: AuditNote,
): Promise<Session> {
  const { store, seal } = deps
  const key = codeKey(seal, given.code)
  const found = await store.oauthFlow.findTicket(key)
  const company = found && (await store.companies.readCompany(found.companyId))
  if (!found || !company) throw ssoRefused('unknown_code')
  const trace: Trace = { method: found.method, company, email: found.email }
  const work = async () => {
    if (found.stateHash && !isSame(stateHash(seal, stateIn(given.cookies)), found.stateHash))
      throw new SsoRefusal('state', 'The code was asked for by another browser.')
    const ticket = await store.oauthFlow.takeTicket(key)
    if (!ticket) throw new SsoRefusal('code', 'The code was used already.')
    return await enter(deps, company, ticket, trace, given, note)
  }
  return await traced(store, trace, given, work, note)
}

async function ticketOfToken(
  deps: EnterDeps,
  company: Company,
  { method, accessToken }: TokenForm,
  trace: Trace,
): Promise<OAuthTicket> {
  const { oauthFlow } = deps.store
  const key = tokenKey(deps.seal, accessToken)
  const found = await oauthFlow.findTicket(key)
  if (!found) return await vouchForForeign(deps, company, method, accessToken, trace)
  if (found.companyId !== company.id || found.method !== method)
    throw new SsoRefusal('token', 'The access token is of a sign-in to another company, or method.')
  const ticket = await oauthFlow.takeTicket(key)
  if (!ticket) throw new SsoRefusal('token', 'The access token was used already.')
  return ticket
}

/** Whoever the provider says has this token; to whom it was given, and for what, nobody can tell. */
async function vouchForForeign(
  deps: EnterDeps,
  company: Company,
  method: OAuthMethod,
  accessToken: string,
  trace: Trace,
): Promise<OAuthTicket> {
  const way = await findWay(deps, company.id, method)
  if (!way?.acceptsForeignTokens)
    throw new SsoRefusal(
      'token',
      'No sign-in here has obtained this access token, or it was used, which the company does not allow (acceptsForeignTokens).',
    )
  const userInfo = await readUserInfo(deps.outbound, way.provider, accessToken)
  const said = { userInfo, idToken: undefined }
  const { vouchee } = await vouch(deps, company, way, method, said, trace)
  return { companyId: company.id, version: way.version, ...vouchee, stateHash: undefined }
}

/** Everything that may have changed meanwhile is looked at again. */
async function enter(
  deps: EnterDeps,
  company: Company,
  ticket: OAuthTicket,
  trace: Trace,
  { address, userAgent }: SignInOrigin,
  note: AuditNote,
): Promise<Session> {
  const { store, access } = deps
  const { email, method, version } = ticket
  Object.assign(trace, { email, isProven: true })
  const way: Way | undefined = await findWay(deps, company.id, method)
  if (!way || way.version !== version)
    throw new SsoRefusal(
      'settings',
      'The company does not sign in so any more, or its settings were changed since the sign-in began.',
    )
  const { before, after } = await admit(store, company, ticket, way.claimsRequired)
  const opened = await access.openSso({ email, companyId: company.id }, method, {
    address,
    userAgent,
  })
  if (!opened) throw new SsoRefusal('access', 'This user has no access to the company any more.')
  note.claim(email, company.id)
  note.entered([company.id])
  note.detail({ method, ...changesOf(before, after) })
  const { session, userId, isOwner } = opened
  if (isOwner && method === 'oauth') await noteOAuthProof(store, company.id, version, userId)
  if (isOwner && method === 'google') await notePublicProof(store, company.id, userId)
  return session
}
