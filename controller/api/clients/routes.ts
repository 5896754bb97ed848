import {
  activateClient,
  listActiveClients,
  listClients,
  readClient,
  revokeClient,
} from '../../../shared/api/clients.ts'
import type { AgentHub } from '../../agents/hub.ts'
import type { Router } from '../../plugins/routes.ts'
import { clientNotFound } from '../../records/not-found.ts'
import type { Store } from '../../store/store.ts'
import { revokeHost } from './revoke.ts'

/** Hosts with their agents. */
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
  router.add(readClient, async ({ team, params }) => {
    const [client] = await store.hosts.read(team.id, [params.identifier])
    if (!client) throw clientNotFound(params.identifier)
    return client
  })
  router.add(revokeClient, async ({ team, params, caller }) => {
    if (!(await revokeHost({ store, hub }, team.id, params.identifier, caller.email)))
      throw clientNotFound(params.identifier)
    return 'Success' as const
  })
  router.add(activateClient, async ({ team, params }) => {
    if (!(await store.hosts.activate(team.id, params.identifier)))
      throw clientNotFound(params.identifier)
    return 'Success' as const
  })
}
