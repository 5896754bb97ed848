import { changePassword, login, logout, readSelf } from '../../../shared/api/sessions.ts'
import { updateSelf } from '../../../shared/api/self.ts'
import { changesOf } from '../../audit/changes.ts'
import type { Access } from '../../auth/access.ts'
import { teamMembership } from '../../auth/session-answer.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'

/** Sign-in, sign-out and the user behind a session. */
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
      wantsCompany: query.getCompanySession?.toLowerCase() === 'true',
    })
    audit.entered([...new Set([sessions].flat().map((session) => session.company_id))])
    return sessions
  })
  router.add(logout, async ({ caller }) => {
    await access.logout(caller)
    return 'Success' as const
  })
  router.add(changePassword, async ({ caller, body, request }) => {
    await access.changePassword(caller, { ...body, address: request.ip })
    return 'Success' as const
  })
  router.add(readSelf, async ({ caller }) => {
    const [teams, name] = await Promise.all([
      store.companies.listTeams(caller.company.id),
      store.users.nameOf(caller.userId),
    ])
    return {
      identifier: caller.email,
      first_name: name.first,
      last_name: name.last,
      user_id: caller.userId,
      company_id: caller.company.id,
      company_name: caller.company.name,
      company_roles: [...caller.membership.roles],
      org_id: caller.team?.id ?? caller.company.id,
      org_name: caller.team?.name ?? caller.company.name,
      privileges: [...caller.privileges].sort(),
      team_memberships: teams
        .filter((team) => caller.membership.teams[team.id])
        .map((team) => teamMembership(team, caller.membership)),
    }
  })
  router.add(updateSelf, async ({ caller, body, audit }) => {
    const before = await store.users.nameOf(caller.userId)
    const { first_name: first = before.first, last_name: last = before.last } = body
    audit.target({ kind: 'user', id: caller.userId, name: caller.email })
    audit.detail(changesOf(before, { first, last }))
    await store.users.setName(caller.userId, { first, last })
    return 'Success' as const
  })
}
