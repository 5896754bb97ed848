import { ApiError } from '../../../shared/api/errors.ts'
import type { Attack } from '../../../shared/api/records.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Caller } from '../../auth/access.ts'
import { toAttack } from '../../records/attacks.ts'
import { attackNotFound } from '../../records/not-found.ts'
import { isStorageError } from '../../store/redis.ts'
import type { Store } from '../../store/store.ts'

/** Why, and where to read more; for people. */
export type Why = { reason?: string | null; reference?: string | null } | null | undefined

export interface HaltService {
  /** Orders the end of one attack. Repeating it changes nothing. @throws ApiError `attack_not_found`, `storage_unavailable` */
  halt(teamId: string, attackId: string, caller: Caller, why: Why): Promise<Attack[]>
  /** Of all teams of the company with HALT_ALL, else of the session's team. */
  haltAll(caller: Caller, why: Why): Promise<Attack[]>
}

/** Makes the service of halts. While storage is away they are carried out as far as this controller knows, and refused. */
export function createHaltService(store: Store, hub: AgentHub): HaltService {
  const halt: HaltService['halt'] = async (teamId, attackId, caller, why) => {
    const by = {
      who: caller.email,
      reason: why?.reason ?? '',
      reference: why?.reference ?? '',
    }
    const halted = await store.attacks.halt(teamId, attackId, by, (written) =>
      hub.give(teamId, written),
    )
    if (!halted) throw attackNotFound(attackId)
    const record = await store.attacks.find(teamId, attackId)
    if (!record) throw attackNotFound(attackId)
    const [executions = []] = await store.executions.briefOfAttacks(teamId, [attackId])
    return [toAttack(record, executions)]
  }
  const haltTeam = async (teamId: string, caller: Caller, why: Why): Promise<Attack[]> => {
    // In this order: an attack that is written meanwhile is either withdrawn or listed.
    await store.attacks.withdrawUnwritten(teamId)
    const ids = await store.attacks.activeIds(teamId)
    return (await Promise.all(ids.map((id) => halt(teamId, id, caller, why)))).flat()
  }
  return {
    halt: (teamId, attackId, caller, why) =>
      recordedOr(
        caller,
        () => halt(teamId, attackId, caller, why),
        () => hub.haltUnrecorded({ companyId: caller.company.id, teamId }, attackId),
      ),
    haltAll: (caller, why) =>
      recordedOr(
        caller,
        async () => {
          const teams = await teamsOf(store, caller)
          return (await Promise.all(teams.map(({ id }) => haltTeam(id, caller, why)))).flat()
        },
        () => haltUnrecorded(hub, caller),
      ),
  }
}

async function teamsOf(store: Store, { privileges, company, team }: Caller) {
  if (privileges.has('HALT_ALL')) return await store.companies.listTeams(company.id)
  return team ? [team] : []
}

function haltUnrecorded(hub: AgentHub, { privileges, company, team }: Caller): number {
  const companyId = company.id
  if (privileges.has('HALT_ALL')) return hub.haltUnrecorded({ companyId })
  return team ? hub.haltUnrecorded({ companyId, teamId: team.id }) : 0
}

/**
 * Halts by the record that all controllers and agents go by. Without storage the agents that are connected here are
 * told all the same: a halt must not wait for it. @throws ApiError `storage_unavailable` with how many were told
 */
async function recordedOr(
  caller: Caller,
  recorded: () => Promise<Attack[]>,
  unrecorded: () => number,
): Promise<Attack[]> {
  try {
    if (!caller.isRemembered) return await recorded()
  } catch (error) {
    if (!isStorageError(error)) throw error
  }
  const executions = unrecorded()
  throw new ApiError(
    'storage_unavailable',
    `The controller cannot reach its storage, so this halt is not recorded. The agents that are connected to it were told to end ${executions} executions. ` +
      'Halt again when the storage is back, for those of which this controller does not know.',
    { retryAfterSeconds: 2, details: { executions_told: executions } },
  )
}
