import { ApiError } from '../../../shared/api/errors.ts'
import {
  haltAllAttacks,
  haltAllAttacksWithReason,
  haltAttack,
  haltAttackWithReason,
  haltEverything,
} from '../../../shared/api/halts.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { AuditNote } from '../../audit/of-request.ts'
import type { Caller } from '../../auth/access.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { createHaltService, type Why } from './service.ts'

/** Ending attacks. None of this counts against the limit of requests. */
export function addHaltRoutes(router: Router, deps: { store: Store; hub: AgentHub }): void {
  const service = createHaltService(deps.store, deps.hub)
  const haltAll = async (caller: Caller, why: Why, audit: AuditNote) => {
    audit.detail(reasonOf(why))
    const halted = await tellingOf(audit, service.haltAll(caller, why))
    audit.detail({ attacks: halted.map(({ guid }) => guid) })
    return halted
  }
  router.add(haltAttack, ({ team, params, caller, audit }) =>
    tellingOf(audit, service.halt(team.id, params.guid, caller, null)),
  )
  router.add(haltAttackWithReason, ({ team, params, caller, body, audit }) => {
    audit.detail(reasonOf(body))
    return tellingOf(audit, service.halt(team.id, params.guid, caller, body))
  })
  router.add(haltAllAttacks, ({ caller, audit }) => haltAll(caller, null, audit))
  router.add(haltAllAttacksWithReason, ({ caller, body, audit }) => haltAll(caller, body, audit))
  router.add(haltEverything, ({ caller, body, audit }) => haltAll(caller, body, audit))
}

/** A halt without storage fails and is carried out all the same: the audit has to say so. */
async function tellingOf<T>(audit: AuditNote, halt: Promise<T>): Promise<T> {
  try {
    return await halt
  } catch (error) {
    if (error instanceof ApiError) audit.detail({ executions_told: toldIn(error) })
    throw error
  }
}

function toldIn({ details }: ApiError): number | undefined {
  const told = details?.['executions_told']
  return typeof told === 'number' ? told : undefined
}

const reasonOf = (why: Why) => ({
  reason: why?.reason ?? undefined,
  reference: why?.reference ?? undefined,
})
