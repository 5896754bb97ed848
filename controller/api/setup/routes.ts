import { makeFirstOwner, readSetup } from '../../../shared/api/setup.ts'
import { createSetup, type SetupDeps } from '../../auth/setup.ts'
import type { Router } from '../../plugins/routes.ts'

/** The first owner of an installation. */
export function addSetupRoutes(router: Router, deps: SetupDeps): void {
  const setup = createSetup(deps)
  router.add(readSetup, async ({ reply }) => {
    reply.header('cache-control', 'no-store')
    return { needed: await setup.isNeeded() }
  })
  router.add(makeFirstOwner, async ({ body, request, audit }) => {
    audit.claim(body.email)
    audit.target({ kind: 'user', id: null, name: body.email })
    audit.detail({ new: ['COMPANY_OWNER'], first: true })
    audit.entered([await setup.make({ ...body, address: request.ip })])
    return 'Success' as const
  })
}
