import type { Attack } from '../../../shared/api/records.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Caller } from '../../auth/access.ts'
import { toAttack } from '../../records/attacks.ts'
import { attackNotFound } from '../../records/not-found.ts'
import type { Store } from '../../store/store.ts'

/** Why, and where to read more; for people. */
export type Why = { reason?: string | null; reference?: string | null } | null | undefined

export interface HaltService {
  /** Orders the end of one attack. Repeating it changes nothing. @throws ApiError `attack_not_found` */
  halt(teamId: string, attackId: string, caller: Caller, why: Why): Promise<Attack[]>
  /** Of all teams of the company with HALT_ALL, else of the session's team. */
  haltAll(caller: Caller, why: Why): Promise<Attack[]>
}

/** Makes the service of halts. */
export function createHaltService(store: Store, hub: AgentHub): HaltService {
  const halt: HaltService['halt'] = async (teamId, attackId, caller, why) => {
    const by = {
      who: caller.email,
      reason: why?.reason ?? '',
      reference: why?.reference ?? '',
    }
    const halted = await store.attacks.halt(teamId, attackId, by, (hosts) => {
      for (const host of hosts) hub.deliverSoon(teamId, host)
    })
    if (!halted) throw attackNotFound(attackId)
    const record = await store.attacks.find(teamId, attackId)
    if (!record) throw attackNotFound(attackId)
    const [executions = []] = await store.executions.briefOfAttacks(teamId, [attackId])
    return [toAttack(record, executions)]
  }
  return {
    halt,
    async haltAll(caller, why) {
      const teams = caller.privileges.has('HALT_ALL')
        ? await store.companies.listTeams(caller.company.id)
        : caller.team
          ? [caller.team]
          : []
      const ofTeams = await Promise.all(
        teams.map(async (team) => {
          // In this order: an attack that is written meanwhile is either withdrawn or listed.
          await store.attacks.withdrawUnwritten(team.id)
          const ids = await store.attacks.activeIds(team.id)
          return await Promise.all(ids.map((id) => halt(team.id, id, caller, why)))
        }),
      )
      return ofTeams.flat(2)
    },
  }
}
