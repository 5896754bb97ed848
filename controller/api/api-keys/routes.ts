import {
  activateApiKey,
  createApiKey,
  listActiveApiKeys,
  listApiKeys,
  listCompanyApiKeys,
  revokeApiKey,
  revokeUsersApiKey,
  setApiKeyExpiration,
} from '../../../shared/api/api-keys.ts'
import type { Seal } from '../../auth/seal.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { createApiKeyService, toApiKey } from './service.ts'

/** Keys of the API. */
export function addApiKeyRoutes(
  router: Router,
  { store, seal }: { store: Store; seal: Seal },
): void {
  const service = createApiKeyService(store, seal)
  router.add(createApiKey, async ({ caller, body, reply, audit }) => {
    reply.header('cache-control', 'no-store')
    return await service.create(caller, body, audit)
  })
  router.add(listApiKeys, async ({ caller }) => (await service.own(caller)).map(toApiKey))
  router.add(listActiveApiKeys, async ({ caller }) =>
    (await service.own(caller)).map(toApiKey).filter((key) => key.state === 'ACTIVE'),
  )
  router.add(listCompanyApiKeys, async ({ caller }) =>
    (await service.ofCompany(caller)).map(toApiKey),
  )
  router.add(revokeApiKey, async ({ caller, params, audit }) => {
    await service.revoke(caller, params.keyId, audit)
    return 'Success' as const
  })
  router.add(activateApiKey, async ({ caller, params, audit }) => {
    await service.activate(caller, params.keyId, audit)
    return 'Success' as const
  })
  router.add(setApiKeyExpiration, async ({ caller, params, query, audit }) => {
    await service.expire(caller, { ...params, expiresAt: query.expiresAt }, audit)
    return 'Success' as const
  })
  router.add(revokeUsersApiKey, async ({ caller, params, audit }) => {
    await service.revokeOfUser(caller, params, audit)
    return 'Success' as const
  })
}
