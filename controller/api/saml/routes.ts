import {
  beginSamlLogin,
  consumeSamlResponse,
  listSamlFailures,
  readSamlIdpMetadata,
  openSamlSession,
  readSamlMetadata,
  setSamlProps,
} from '../../../shared/api/saml.ts'
import { checkOwnCompany } from '../../auth/own-company.ts'
import { originOf } from '../origin.ts'
import type { Router } from '../../plugins/routes.ts'
import { createSamlService, type SamlDeps } from './service.ts'

/** An address with a code in it goes neither into a cache nor to the next site. */
const secret = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** Signing in with SAML. */
export function addSamlRoutes(router: Router, deps: SamlDeps): void {
  const service = createSamlService(deps)
  router.add(setSamlProps, async ({ caller, params, body, audit }) => {
    checkOwnCompany(caller, params.companyId)
    await service.configure(caller, body, audit)
    return 'Success' as const
  })
  router.add(readSamlIdpMetadata, ({ caller, params, body }) => {
    checkOwnCompany(caller, params.companyId)
    return service.readIdpMetadata(body.metadata)
  })
  router.add(readSamlMetadata, () => service.metadata())
  router.add(beginSamlLogin, async ({ query, reply }) => {
    const { companyName, destination, acsHandler } = query
    reply.headers({
      ...secret,
      location: await service.begin({ companyName, destination, acsHandler }),
    })
    return '' as const
  })
  router.add(consumeSamlResponse, async ({ body, request, reply, audit }) => {
    const given = {
      samlResponse: body.SAMLResponse,
      relayState: body.RelayState,
      address: request.ip,
      requestId: request.id,
    }
    reply.headers({ ...secret, location: await service.respond(given, audit) })
    return '' as const
  })
  router.add(openSamlSession, async ({ body, reply, request, audit }) => {
    reply.header('cache-control', 'no-store')
    return await service.open(body.code, originOf(request), audit)
  })
  router.add(listSamlFailures, ({ caller, query }) => service.failures(caller, query.email))
}
