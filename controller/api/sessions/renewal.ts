import { renewOrgSession, renewSession } from '../../../shared/api/sessions.ts'
import type { Access } from '../../auth/access.ts'
import type { Router } from '../../plugins/routes.ts'

/** Renewal of sessions, as clients of each age ask for it. */
export function addRenewalRoutes(router: Router, { access }: { access: Access }): void {
  for (const contract of [renewSession, renewOrgSession])
    router.add(contract, async ({ body, headers, reply, audit }) => {
      reply.header('cache-control', 'no-store')
      audit.claim(body.email, 'companyId' in body ? body.companyId : undefined)
      const session = await access.renew({ ...body, idempotencyKey: headers['idempotency-key'] })
      audit.entered([session.company_id])
      return session
    })
}
