import {
  disableMfa,
  enableMfa,
  forceDisableMfa,
  readMfaEnabled,
  readMfaInfo,
  signInWithCode,
  validateMfa,
} from '../../../shared/api/mfa.ts'
import { isYes } from '../flag.ts'
import { originOf } from '../origin.ts'
import type { Router } from '../../plugins/routes.ts'
import type { MfaService } from './service.ts'

/** Second factors: to sign in with one, to set one up, to switch it off. */
export function addMfaRoutes(router: Router, { mfa }: { mfa: MfaService }): void {
  router.add(signInWithCode, async ({ body, query, reply, request, audit }) => {
    reply.header('cache-control', 'no-store')
    const companyName = body.companyName || undefined
    audit.claim(body.email, companyName)
    const sessions = await mfa.signIn({
      email: body.email,
      password: body.password,
      ticket: body.ticket,
      token: String(body.token ?? ''),
      companyName,
      ...originOf(request),
      wantsCompany: isYes(query.getCompanySession),
    })
    audit.entered([...new Set([sessions].flat().map((session) => session.company_id))])
    audit.detail({ secondFactor: true })
    return sessions
  })
  router.add(enableMfa, async ({ body, reply, request, audit }) => {
    reply.header('cache-control', 'no-store')
    audit.claim(body.email)
    const { email, password, ticket } = body
    return await mfa.enable({ email, password, ticket, address: request.ip })
  })
  router.add(validateMfa, async ({ body, reply, request, audit }) => {
    reply.header('cache-control', 'no-store')
    audit.claim(body.email)
    const codes = await mfa.validate({
      email: body.email,
      token: String(body.token),
      ticket: body.ticket || undefined,
      address: request.ip,
    })
    return `Success\n\nEach of these recovery codes is good once in place of a code. Keep them: they are not shown again.\n\n${codes.join('\n')}\n`
  })
  router.add(disableMfa, async ({ body, request, audit }) => {
    audit.claim(body.email)
    await mfa.disable({ ...body, token: String(body.token), address: request.ip })
    return 'Success' as const
  })
  router.add(forceDisableMfa, async ({ caller, body, audit }) => {
    audit.target({ kind: 'user', id: null, name: body.email })
    await mfa.forceDisable(caller, body.email)
    return 'Success' as const
  })
  router.add(readMfaInfo, ({ caller }) => mfa.info(caller))
  router.add(readMfaEnabled, ({ caller, params }) => mfa.isOn(caller, params.email))
}
