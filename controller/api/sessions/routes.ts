import { changePassword, listOwnSessions, login, logout } from '../../../shared/api/sessions.ts'
import type { Access } from '../../auth/access.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { isYes } from '../flag.ts'
import { ownSession } from './own-session.ts'

/** Sign-in, sign-out and the session of a request. */
export function addSessionRoutes(
  router: Router,
  { access, store }: { access: Access; store: Store },
): void {
  router.add(login, async ({ body, query, reply, request, audit }) => {
    reply.header('cache-control', 'no-store')
    const companyName = body.companyName || undefined
    audit.claim(body.email, companyName)
    const sessions = await access.login({
      email: body.email,
      password: body.password,
      companyName,
      address: request.ip,
      wantsCompany: isYes(query.getCompanySession),
    })
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
