import {
  listCompanyClients,
  readCompany,
  setCompanyDomain,
  updateCompany,
} from '../../../shared/api/companies.ts'
import { checkOwnCompany } from '../../auth/own-company.ts'
import type { Router } from '../../plugins/routes.ts'
import type { Store } from '../../store/store.ts'
import { createCompanyService } from './service.ts'

/** The company of the session. */
export function addCompanyRoutes(router: Router, { store }: { store: Store }): void {
  const companies = createCompanyService(store)
  router.add(readCompany, async ({ caller, params, query }) => {
    checkOwnCompany(caller, params.companyId)
    const withTeams = query.skipTeams?.toLowerCase() !== 'true'
    return await companies.read(caller.company, withTeams)
  })
  router.add(updateCompany, async ({ caller, params, body, audit }) => {
    checkOwnCompany(caller, params.companyId)
    await companies.update(caller, body, audit)
    return 'Success' as const
  })
  router.add(setCompanyDomain, async ({ caller, params, body, audit }) => {
    checkOwnCompany(caller, params.companyId)
    await companies.claimDomains(caller, body.domain, audit)
    return 'Success' as const
  })
  router.add(listCompanyClients, async ({ caller, params }) => {
    checkOwnCompany(caller, params.companyId)
    return await companies.clients(caller)
  })
}
