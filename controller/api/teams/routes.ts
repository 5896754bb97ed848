import {
  createOrg,
  deleteTeam,
  listOrgs,
  listTeams,
  pageTeams,
  readClientInstall,
  readOrg,
  readTeam,
  readTeamInstall,
  resetOrgSecret,
  resetTeamSecret,
  updateTeam,
} from '../../../shared/api/teams.ts'
import { enterTeam } from '../../auth/enter-team.ts'
import { forbidden } from '../../auth/forbidden.ts'
import { isYes } from '../flag.ts'
import type { RouteInput, Router } from '../../plugins/routes.ts'
import { teamNotFound } from '../../records/not-found.ts'
import { pageOfList } from '../../records/page.ts'
import { toOrg, toTeam } from '../../records/teams.ts'
import type { Team } from '../../store/teams.ts'
import { createTeamService, type TeamDeps, type TeamService } from './service.ts'

/** Teams, which older clients call organisations. */
export function addTeamRoutes(router: Router, deps: TeamDeps): void {
  const { store } = deps
  const service = createTeamService(deps)
  const detailOf = async ({ companyId, id }: Team) => {
    const detail = await store.teams.read(companyId, id)
    if (!detail) throw teamNotFound(id)
    return detail
  }
  router.add(listTeams, async ({ caller }) =>
    (await store.teams.list(caller.company.id)).map(toTeam),
  )
  router.add(pageTeams, async ({ caller, query }) =>
    pageOfList(
      (await store.teams.list(caller.company.id)).map(toTeam),
      (team) => team.identifier,
      query,
    ),
  )
  router.add(readTeam, async ({ team }) => toTeam(await detailOf(team)))
  router.add(updateTeam, async ({ team, body, audit }) => {
    audit.detail({ old: team.name, new: body.name })
    return toTeam(await service.rename(team, body.name))
  })
  router.add(deleteTeam, async ({ team, caller }) => toTeam(await service.remove(team, caller)))
  router.add(listOrgs, async ({ caller }) => (await store.teams.list(caller.company.id)).map(toOrg))
  router.add(readOrg, async ({ team }) => toOrg(await detailOf(team)))
  router.add(createOrg, async ({ caller, body, query, audit }) => {
    const withCaller = isYes(query.addUser)
    audit.target({ kind: 'team', id: null, name: body.name })
    const { id, name } = await service.create(caller, body.name, withCaller)
    audit.target({ kind: 'team', id, name })
    return {
      org_id: id,
      identifier: id,
      name,
      has_secret: true as const,
      pem_encoded_certificate: null,
      pem_encoded_private_key: null,
    }
  })
  addSecretRoutes(router, deps, service)
}

/** What holds the secret with which hosts join. */
function addSecretRoutes(router: Router, { store }: TeamDeps, service: TeamService): void {
  router.add(resetTeamSecret, async ({ team, caller, reply }) => {
    reply.header('cache-control', 'no-store')
    return { identifier: team.id, secret: await service.resetSecret(team, caller) }
  })
  router.add(resetOrgSecret, async (input) => {
    const { body, caller, reply, audit } = input
    reply.header('cache-control', 'no-store')
    const there = await enterTeam(store, caller, body?.identifier || input.team.id)
    if (!there.team || !there.privileges.has('TEAM_SECURITY_WRITE'))
      throw forbidden(['TEAM_SECURITY_WRITE'])
    audit.target({ kind: 'team', id: there.team.id, name: there.team.name })
    return { identifier: there.team.id, secret: await service.resetSecret(there.team, caller) }
  })
  const install = async ({
    team,
    reply,
    audit,
  }: Pick<RouteInput<typeof readClientInstall>, 'team' | 'reply' | 'audit'>) => {
    reply.header('cache-control', 'no-store')
    audit.target({ kind: 'team', id: team.id, name: team.name })
    audit.detail({ shown: true })
    return { TEMBLOR_JOIN: await service.joinLine(team) }
  }
  router.add(readTeamInstall, install)
  router.add(readClientInstall, install)
}
