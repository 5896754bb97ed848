import {
  beginOAuthLogin,
  finishOAuthLogin,
  openOAuthSession,
  setOAuthSettings,
} from '../../../shared/api/oauth.ts'
import { signInWithToken } from '../../../shared/api/sessions.ts'
import { checkOwnCompany } from '../../auth/own-company.ts'
import { begin } from '../../oauth/begin.ts'
import { comeBack } from '../../oauth/callback.ts'
import { enterByCode, enterByToken } from '../../oauth/enter.ts'
import { noStateCookie, stateCookie } from '../../oauth/state.ts'
import { originOf } from '../origin.ts'
import type { Router } from '../../plugins/routes.ts'
import { setProvider, type OAuthServiceDeps } from './service.ts'

/** What leads on, or answers a token, goes neither into a cache nor to the next site. */
const secret = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** Signing in with an OAuth provider. */
export function addOAuthRoutes(router: Router, deps: OAuthServiceDeps): void {
  router.add(setOAuthSettings, async ({ caller, params, body, audit }) => {
    checkOwnCompany(caller, params.companyId)
    await setProvider(deps, caller, body, audit)
    return 'Success' as const
  })
  router.add(beginOAuthLogin, async ({ query, request, reply }) => {
    const { url, state } = await begin(deps, {
      companyName: query.companyName,
      method: query.provider || 'oauth',
      redirectUri: query.redirectUri || undefined,
      test: query.test ? { id: query.test, destination: query.destination ?? '/' } : undefined,
      address: request.ip,
      requestId: request.id,
    })
    const cookie = stateCookie(state, deps.siteUrl())
    reply.headers({ ...secret, location: url, 'set-cookie': cookie })
    return '' as const
  })
  router.add(finishOAuthLogin, async ({ query, request, reply, audit }) => {
    const { state, code, iss, error } = query
    const parts = Object.entries({ state, code, iss, error }).filter(([, one]) => one !== undefined)
    const given = {
      query: Object.fromEntries(parts),
      cookies: request.headers.cookie,
      address: request.ip,
      requestId: request.id,
    }
    const returned = await comeBack(deps, given, audit)
    reply.headers(secret)
    // The own app shows it once more when it asks for the session.
    if (returned.kind === 'token' || !returned.isOwn)
      reply.header('set-cookie', noStateCookie(deps.siteUrl()))
    if (returned.kind === 'token') return { access_token: returned.accessToken }
    reply.status(303).type('text/plain; charset=utf-8').header('location', returned.location)
    return '' as const
  })
  router.add(openOAuthSession, async ({ body, request, reply, audit }) => {
    const { cookie: cookies } = request.headers
    const visit = { ...originOf(request), requestId: request.id }
    const session = await enterByCode(deps, { code: body.code, cookies, ...visit }, audit)
    reply.headers({ ...secret, 'set-cookie': noStateCookie(deps.siteUrl()) })
    return session
  })
  router.add(signInWithToken, async ({ body, request, reply, audit }) => {
    reply.headers(secret)
    const { companyName, accessToken, provider, email } = body
    const visit = { ...originOf(request), requestId: request.id }
    return await enterByToken(
      deps,
      { companyName, accessToken, method: provider, email: email ?? '', ...visit },
      audit,
    )
  })
}
