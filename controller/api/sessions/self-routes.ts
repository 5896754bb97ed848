import { endOtherSessions, endSession, listSessions } from '../../../shared/api/own-sessions.ts'
import { readSelf } from '../../../shared/api/sessions.ts'
import { updateSelf } from '../../../shared/api/self.ts'
import { changesOf } from '../../audit/changes.ts'
import { teamMembership } from '../../auth/session-answer.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { endOthers, endOwn, listOwn, nameOf } from './own-sessions.ts'

/** The user behind a session or a key. */
export function addSelfRoutes(router: Router, store: Store): void {
  addOwnSessions(router, store)
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

function addOwnSessions(router: Router, store: Store): void {
  router.add(listSessions, ({ caller }) => listOwn(store, caller))
  router.add(endSession, async ({ caller, params, audit }) => {
    const session = await endOwn(store, caller, params.sessionId)
    audit.target({ kind: 'session', id: session.id, name: nameOf(session) })
    return 'Success' as const
  })
  router.add(endOtherSessions, async ({ caller, audit }) => {
    const ended = await endOthers(store, caller)
    audit.target({ kind: 'session', id: null, name: 'all others' })
    audit.detail({ ended })
    return 'Success' as const
  })
}
