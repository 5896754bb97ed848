import {
  annotateAttack,
  createAttack,
  type CreateAttackBody,
  listActiveAttacks,
  listAttacks,
  listCompletedAttacks,
  pageActiveAttacks,
  pageAttacks,
  pageCompletedAttacks,
  previewAttack,
  rangeAttacks,
  readAttack,
} from '../../../shared/api/attacks.ts'
import { listExecutions } from '../../../shared/api/executions.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Fact, Facts } from '../../audit/audit.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { refuseTemplates } from './command.ts'
import { createAttackLists } from './lists.ts'
import { previewOf } from './preview.ts'
import { createAttackService } from './service.ts'

/** What the audit tells of a request. */
const askedFor = ({ command, target, labels }: CreateAttackBody): Facts => ({
  args: (command.args ?? []).join(' '),
  target: target as Fact,
  labels: labels as Fact,
})

/** Attacks and their executions. */
export function addAttackRoutes(router: Router, deps: { store: Store; hub: AgentHub }): void {
  const service = createAttackService(deps.store, deps.hub)
  const lists = createAttackLists(deps.store)
  router.add(
    createAttack,
    async ({ body, team, caller, headers, request, audit }) => {
      audit.detail(askedFor(body))
      const id = await service.create(team.id, body, caller, {
        name: request.headers['x-gremlin-agent'],
        idempotencyKey: headers['idempotency-key'],
      })
      audit.target({ kind: 'attack', id, name: body.command.type })
      return id
    },
    refuseTemplates,
  )
  router.add(
    previewAttack,
    ({ body, team, caller }) => previewOf(deps.store, team.id, body, caller),
    refuseTemplates,
  )
  router.add(listAttacks, ({ team, query }) => lists.list(team.id, undefined, query))
  router.add(listActiveAttacks, ({ team, query }) => lists.list(team.id, 'active', query))
  router.add(listCompletedAttacks, ({ team, query }) => lists.list(team.id, 'completed', query))
  router.add(pageAttacks, ({ team, query }) => lists.page(team.id, undefined, query))
  router.add(pageActiveAttacks, ({ team, query }) => lists.page(team.id, 'active', query))
  router.add(pageCompletedAttacks, ({ team, query }) => lists.page(team.id, 'completed', query))
  router.add(rangeAttacks, ({ team, query }) => lists.page(team.id, undefined, query))
  router.add(readAttack, ({ team, params }) => service.read(team.id, params.guid))
  router.add(annotateAttack, ({ team, params, body }) =>
    service.annotate(team.id, params.guid, body),
  )
  router.add(listExecutions, ({ team, query }) => service.executions(team.id, query.taskId))
}
