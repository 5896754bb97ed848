import { formatJoinLine } from '../../../shared/join-line.ts'
import type { Caller } from '../../auth/access.ts'
import type { AgentHub } from '../../agents/hub.ts'
import { teamNotFound } from '../../records/not-found.ts'
import type { Store } from '../../store/store.ts'
import type { Team, TeamDetail } from '../../store/teams.ts'
import { revokeHost } from '../clients/revoke.ts'
import { createHaltService } from '../halts/service.ts'

/** Teams of the caller's company. */
export interface TeamService {
  /** @throws ApiError `name_taken`, `invalid_body` */
  create(caller: Caller, name: string, withCaller: boolean): Promise<TeamDetail>
  /** @throws ApiError `team_not_found`, `name_taken`, `invalid_body` */
  rename(team: Team, name: string): Promise<TeamDetail>
  /** Halts its attacks and cuts off its hosts. @throws ApiError `team_not_found` */
  remove(team: Team, caller: Caller): Promise<TeamDetail>
  /** @throws ApiError `team_not_found` */
  resetSecret(team: Team, caller: Caller): Promise<string>
  /** The line with which hosts join. It holds the secret. */
  joinLine(team: Team): Promise<string>
}

export interface TeamDeps {
  readonly store: Store
  readonly hub: AgentHub
  /** `host:port` where agents connect. */
  readonly agentAddress: () => string
  /** SHA-256 of the controller's CA, hex. */
  readonly caSha256: string
}

/** Makes the service of teams. */
export function createTeamService(deps: TeamDeps): TeamService {
  const { store, hub } = deps
  const halts = createHaltService(store, hub)
  return {
    async create(caller, name, withCaller) {
      const { secret: _, ...team } = await store.teams.add(caller.company.id, name)
      if (withCaller)
        await store.members.change(caller.company.id, caller.userId, (member) => ({
          ...member,
          teams: { ...member.teams, [team.id]: ['TEAM_USER'] },
        }))
      return team
    },
    async rename(team, name) {
      const renamed = await store.teams.rename(team, name)
      if (!renamed) throw teamNotFound(team.id)
      return renamed
    },
    async remove(team, caller) {
      const detail = await store.teams.read(team.companyId, team.id)
      // Forgotten first: from here on nothing new begins in the team.
      if (!detail || !(await store.teams.remove(team))) throw teamNotFound(team.id)
      const why = { reason: `${caller.email} deleted the team ${team.name}.` }
      for (const attackId of await store.attacks.activeIds(team.id))
        await halts.halt(team.id, attackId, caller, why)
      for (const { identifier } of await store.hosts.list(team.id))
        await revokeHost({ store, hub }, team.id, identifier, caller.email)
      await store.members.leaveTeam(team.companyId, team.id)
      return detail
    },
    async resetSecret(team, caller) {
      const secret = await store.teams.resetSecret(team, caller.email)
      if (!secret) throw teamNotFound(team.id)
      return secret
    },
    async joinLine(team) {
      const secret = await store.teams.readSecret(team)
      const { agentAddress, caSha256 } = deps
      return formatJoinLine({ address: agentAddress(), teamId: team.id, secret, caSha256 })
    },
  }
}
