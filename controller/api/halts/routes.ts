import {
  haltAllAttacks,
  haltAllAttacksWithReason,
  haltAttack,
  haltAttackWithReason,
  haltEverything,
} from '../../../shared/api/halts.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { createHaltService } from './service.ts'

/** Ending attacks. None of this counts against the limit of requests. */
export function addHaltRoutes(router: Router, deps: { store: Store; hub: AgentHub }): void {
  const service = createHaltService(deps.store, deps.hub)
  router.add(haltAttack, ({ team, params, caller }) =>
    service.halt(team.id, params.guid, caller, null),
  )
  router.add(haltAttackWithReason, ({ team, params, caller, body }) =>
    service.halt(team.id, params.guid, caller, body),
  )
  router.add(haltAllAttacks, ({ caller }) => service.haltAll(caller, null))
  router.add(haltAllAttacksWithReason, ({ caller, body }) => service.haltAll(caller, body))
  router.add(haltEverything, ({ caller, body }) => service.haltAll(caller, body))
}
