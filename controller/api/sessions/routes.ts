import { changePassword, listOwnSessions, login, logout } from '../../../shared/api/sessions.ts'
import { enterByToken, type EnterDeps } from '../../oauth/enter.ts'
import type { Router } from '../../plugins/routes.ts'
import { isYes } from '../flag.ts'
import { originOf } from '../origin.ts'
import { ownSession } from './own-session.ts'

/** Sign-in, sign-out and the session of a request. */
export function addSessionRoutes(router: Router, deps: EnterDeps): void {
  const { access, store } = deps
  router.add(login, async ({ body, query, reply, request, audit }) => {
    reply.header('cache-control', 'no-store')
    const { email = '', password = '', accessToken, provider } = body
    const companyName = body.companyName || undefined
    const wantsCompany = isYes(query.getCompanySession)
    if (accessToken && provider && companyName) {
      const visit = { ...originOf(request), requestId: request.id }
      const form = { companyName, accessToken, method: provider, email, ...visit }
      const session = await enterByToken(deps, form, audit)
      return wantsCompany ? session : [session]
    }
    audit.claim(email, companyName)
    const given = { email, password, companyName, wantsCompany, ...originOf(request) }
    const sessions = await access.login(given)
    audit.entered([...new Set([sessions].flat().map((session) => session.company_id))])
    return sessions
  })
  router.add(listOwnSessions, async ({ caller, query, request, reply }) => {
    reply.header('cache-control', 'no-store')
    const session = await ownSession(store, caller, request.headers.authorization)
    return isYes(query.getCompanySession) ? session : [session]
  })
  router.add(logout, async ({ caller }) => {
    await access.logout(caller)
    return 'Success' as const
  })
  router.add(changePassword, async ({ caller, body, request }) => {
    await access.changePassword(caller, { ...body, address: request.ip })
    return 'Success' as const
  })
}
