import {
  createAttack,
  haltAttack,
  listAttacks,
  listExecutions,
  readAttack,
} from '../../../shared/api/attacks.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { createAttackService } from './service.ts'

/** Attacks and their executions. */
export function addAttackRoutes(router: Router, deps: { store: Store; hub: AgentHub }): void {
  const service = createAttackService(deps.store, deps.hub)
  router.add(createAttack, ({ body, team, caller, request }) =>
    service.create(team.id, body, caller, request.headers['x-gremlin-agent']),
  )
  router.add(listAttacks, ({ team }) => service.list(team.id))
  router.add(readAttack, ({ team, params }) => service.read(team.id, params.guid))
  router.add(haltAttack, ({ team, params, caller }) =>
    service.halt(team.id, params.guid, caller.email),
  )
  router.add(listExecutions, ({ team, query }) => service.executions(team.id, query.taskId))
}
