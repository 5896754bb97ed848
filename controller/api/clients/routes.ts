import {
  activateClient,
  listActiveClients,
  listClients,
  listContainers,
  revokeClient,
} from '../../../shared/api/clients.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Router } from '../../plugins/routes.ts'
import { containersOf } from '../../store/hosts.ts'
import type { Store } from '../../store/store.ts'

/** Hosts with their agents, and the containers on them. */
export function addClientRoutes(
  router: Router,
  { store, hub }: { store: Store; hub: AgentHub },
): void {
  router.add(listClients, async ({ team }) => {
    const clients = await store.hosts.list(team.id)
    return {
      active: clients.filter((client) => client.state === 'ACTIVE'),
      idle: clients.filter((client) => client.state === 'IDLE'),
      inactive: clients.filter((client) => client.state === 'REVOKED'),
    }
  })
  router.add(listActiveClients, async ({ team }) =>
    (await store.hosts.list(team.id)).filter((client) => client.state === 'ACTIVE'),
  )
  router.add(listContainers, async ({ team }) =>
    containersOf((await store.hosts.list(team.id)).filter((client) => client.state === 'ACTIVE')),
  )
  router.add(revokeClient, async ({ team, params, caller }) => {
    if (!(await store.hosts.revoke(team.id, params.identifier)))
      throw clientNotFound(params.identifier)
    hub.cutOff(team.id, params.identifier, `${caller.email} revoked this host`)
    return 'Success' as const
  })
  router.add(activateClient, async ({ team, params }) => {
    if (!(await store.hosts.activate(team.id, params.identifier)))
      throw clientNotFound(params.identifier)
    return 'Success' as const
  })
}

function clientNotFound(identifier: string): ApiError {
  return new ApiError(
    'client_not_found',
    `This team has no host ${identifier.slice(0, 100)}. GET /clients lists those there are.`,
    { details: { value: identifier.slice(0, 100) } },
  )
}
