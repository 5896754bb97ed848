import { ApiError } from '../../../shared/api/errors.ts'
import {
  acceptInvitation,
  inviteToCompany,
  inviteToTeam,
  withdrawCompanyInvitation,
  withdrawInvitation,
} from '../../../shared/api/invitations.ts'
import { checkOwnCompany } from '../../auth/own-company.ts'
import type { Router } from '../../plugins/routes.ts'
import { createInvitationService, type InvitationDeps } from './service.ts'

/** Invitations to a company. */
export function addInvitationRoutes(router: Router, deps: InvitationDeps): void {
  const service = createInvitationService(deps)
  router.add(inviteToCompany, async ({ caller, params, body, reply, audit }) => {
    checkOwnCompany(caller, params.companyId)
    reply.header('cache-control', 'no-store')
    const people = body.map((one) => ({
      email: one.identifier ?? one.email ?? missingEmail(),
      name: { first: one.first_name || null, last: one.last_name || null },
    }))
    const emails = people.map(({ email }) => email)
    audit.target({ kind: 'user', id: null, name: emails.join(', ') })
    return await service.invite(caller, people, undefined)
  })
  router.add(inviteToTeam, async ({ caller, body, reply, audit }) => {
    reply.header('cache-control', 'no-store')
    audit.target({ kind: 'user', id: null, name: body.email })
    const [invitation] = await service.invite(caller, [{ email: body.email }], caller.team)
    return invitation ?? missingEmail()
  })
  router.add(withdrawCompanyInvitation, async ({ caller, params }) => {
    checkOwnCompany(caller, params.companyId)
    await service.withdraw(caller, params.email)
    return 'Success' as const
  })
  router.add(withdrawInvitation, async ({ caller, params }) => {
    await service.withdraw(caller, params.email)
    return 'Success' as const
  })
  router.add(acceptInvitation, async ({ params, body, request, reply, audit }) => {
    reply.header('cache-control', 'no-store')
    audit.claim(body.email, params.companyId)
    const given = { ...body, companyId: params.companyId, address: request.ip }
    const { email, company } = await service.accept(given)
    audit.entered([company.id])
    return { identifier: email, company_id: company.id, company_name: company.name }
  })
}

function missingEmail(): never {
  throw new ApiError('invalid_body', 'identifier is missing. Give the email address.', {
    details: { field: 'identifier' },
  })
}
