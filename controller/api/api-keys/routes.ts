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
  router.add(createApiKey, async ({ caller, body, reply }) => {
    reply.header('cache-control', 'no-store')
    return await service.create(caller, body)
  })
  router.add(listApiKeys, async ({ caller }) => (await service.own(caller)).map(toApiKey))
  router.add(listActiveApiKeys, async ({ caller }) =>
    (await service.own(caller)).map(toApiKey).filter((key) => key.state === 'ACTIVE'),
  )
  router.add(listCompanyApiKeys, async ({ caller }) =>
    (await service.ofCompany(caller)).map(toApiKey),
  )
  router.add(revokeApiKey, async ({ caller, params }) => {
    await service.revoke(caller, params.keyId)
    return 'Success' as const
  })
  router.add(activateApiKey, async ({ caller, params }) => {
    await service.activate(caller, params.keyId)
    return 'Success' as const
  })
  router.add(setApiKeyExpiration, async ({ caller, params, query }) => {
    await service.expire(caller, params.keyId, query.expiresAt)
    return 'Success' as const
  })
  router.add(revokeUsersApiKey, async ({ caller, params }) => {
    await service.revokeOfUser(caller, params)
    return 'Success' as const
  })
}
