import {
  createSamlAlias,
  deleteSamlAlias,
  listSamlAliases,
  readSamlAlias,
  updateSamlAlias,
} from '../../../shared/api/saml-aliases.ts'
import { checkOwnCompany } from '../../auth/own-company.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { createSamlAliasService } from './service.ts'

/** Aliases of role claims. */
export function addSamlAliasRoutes(router: Router, { store }: { store: Store }): void {
  const service = createSamlAliasService(store)
  router.add(listSamlAliases, async ({ caller, params }) => {
    checkOwnCompany(caller, params.companyId)
    return { aliasIds: await service.list(caller) }
  })
  router.add(readSamlAlias, async ({ caller, params }) => {
    checkOwnCompany(caller, params.companyId)
    return await service.read(caller, params.aliasId)
  })
  router.add(createSamlAlias, async ({ caller, params, body, audit }) => {
    checkOwnCompany(caller, params.companyId)
    return await service.create(caller, body.aliasId, body, audit)
  })
  router.add(updateSamlAlias, async ({ caller, params, body, audit }) => {
    checkOwnCompany(caller, params.companyId)
    return await service.put(caller, params.aliasId, body, audit)
  })
  router.add(deleteSamlAlias, async ({ caller, params, audit }) => {
    checkOwnCompany(caller, params.companyId)
    await service.remove(caller, params.aliasId, audit)
    return 'Success' as const
  })
}
