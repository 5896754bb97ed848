import { readSsoSetup, readSsoTest, startSsoTest } from '../../../shared/api/sso.ts'
import { checkOwnCompany } from '../../auth/own-company.ts'
import type { Router } from '../../plugins/routes.ts'
import { createSsoService, type SsoDeps } from './service.ts'

/** Setting up sign-ins by providers. */
export function addSsoRoutes(router: Router, deps: SsoDeps): void {
  const service = createSsoService(deps)
  router.add(readSsoSetup, async ({ caller, params }) => {
    checkOwnCompany(caller, params.companyId)
    return await service.setup(caller)
  })
  router.add(startSsoTest, async ({ caller, params, body, reply, audit }) => {
    checkOwnCompany(caller, params.companyId)
    reply.header('cache-control', 'no-store')
    const test = await service.startTest(caller, body)
    audit.detail({ protocol: test.protocol, test_id: test.testId })
    return test
  })
  router.add(readSsoTest, async ({ caller, params, reply }) => {
    checkOwnCompany(caller, params.companyId)
    reply.header('cache-control', 'no-store')
    return await service.readTest(caller, params.testId)
  })
}
