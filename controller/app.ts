import { randomUUID } from 'node:crypto'
import formbody from '@fastify/formbody'
import { fastify, LogController, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { addApiKeyRoutes } from './api/api-keys/routes.ts'
import { addAuditRoutes } from './api/audit/routes.ts'
import { addAttackRoutes } from './api/attacks/routes.ts'
import { addAuthPreferencesRoutes } from './api/auth-preferences/routes.ts'
import { addClientRoutes } from './api/clients/routes.ts'
import { addCompanyRoutes } from './api/companies/routes.ts'
import { addContainerRoutes } from './api/containers/routes.ts'
import { addEventRoutes } from './api/events/routes.ts'
import { addInvitationRoutes } from './api/invitations/routes.ts'
import { addAttackBlockRoutes } from './api/attack-block/routes.ts'
import { addHaltRoutes } from './api/halts/routes.ts'
import { addMetadataRoutes } from './api/metadata/routes.ts'
import { addMfaRoutes } from './api/mfa/routes.ts'
import type { MfaService } from './api/mfa/service.ts'
import { addMetricsRoutes } from './api/metrics/routes.ts'
import { addOAuthRoutes } from './api/oauth/routes.ts'
import { addPasswordResetRoutes } from './api/password-reset/routes.ts'
import { addRoleRoutes } from './api/roles/routes.ts'
import { addSamlAliasRoutes } from './api/saml-aliases/routes.ts'
import { addSamlRoutes } from './api/saml/routes.ts'
import { addSsoRoutes } from './api/sso/routes.ts'
import { addTeamRoutes } from './api/teams/routes.ts'
import { addServiceRoutes, type HealthPart } from './api/service/routes.ts'
import { addRenewalRoutes } from './api/sessions/renewal.ts'
import { addSessionRoutes } from './api/sessions/routes.ts'
import { addSelfRoutes } from './api/sessions/self-routes.ts'
import { addSetupRoutes } from './api/setup/routes.ts'
import { addSignInMethodsRoutes } from './api/sign-in-methods/routes.ts'
import { addUserRoutes } from './api/users/routes.ts'
import type { Audit } from './audit/audit.ts'
import { createRequestAudit } from './audit/of-request.ts'
import type { Access } from './auth/access.ts'
import type { Seal } from './auth/seal.ts'
import type { LockOut } from './auth/lock-out.ts'
import type { Passwords } from './auth/password.ts'
import type { InvitationRation, MailRation } from './auth/ration.ts'
import type { Mailer } from './mail/mailer.ts'
import type { Outbound } from './oauth/outbound.ts'
import type { PublicProvider } from './oauth/public-provider.ts'
import { addWebApp } from './pages/web-app.ts'
import { addErrorHandling, answerBadClient, answerBadUrl } from './plugins/errors.ts'
import { addOpenApi } from './plugins/openapi.ts'
import { addRateLimit } from './plugins/rate-limit.ts'
import { createRouter } from './plugins/routes.ts'
import { addJsonParser, tolerantMethod, tolerantUrl } from './plugins/tolerance.ts'
import type { AgentHub } from './agents/hub.ts'
import type { EventFeed } from './events/feed.ts'
import type { Redis } from './store/redis.ts'
import type { Store } from './store/store.ts'

const bodyLimitBytes = 256 * 1024
const requestTimeoutMs = 10_000

/** What the API is made of. */
export interface AppDeps {
  readonly store: Store
  readonly audit: Audit
  readonly access: Access
  readonly mfa: MfaService
  readonly passwords: Passwords
  readonly lockOut: LockOut
  readonly seal: Seal
  readonly mayMail: MailRation
  readonly mayInvite: InvitationRation
  /** Undefined without a mail server. */
  readonly mailer: Mailer | undefined
  /** Where links lead to. */
  readonly siteUrl: () => string
  /** The way to identity providers. */
  readonly outbound: Outbound
  /** Whether an identity provider may be on this machine. */
  readonly mayBeLocal: () => boolean
  /** Undefined where no public identity provider is set up. */
  readonly publicProvider: PublicProvider | undefined
  /** `host:port` where agents connect. */
  readonly agentAddress: () => string
  /** SHA-256 of the controller's CA, hex. */
  readonly caSha256: string
  readonly hub: AgentHub
  readonly feed: EventFeed
  readonly redis: Redis
  readonly logger: Logger
  readonly health: () => Promise<Record<string, HealthPart>>
  readonly transport: {
    /** With which the API speaks TLS itself. */
    readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
    readonly trustedProxies: readonly string[]
  }
}

/** Builds the HTTP API. It does not listen yet. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { tls, trustedProxies } = deps.transport
  const app = fastify({
    ...(tls ? { https: tls } : {}),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimitBytes,
    frameworkErrors: answerBadUrl,
    clientErrorHandler: answerBadClient,
    requestTimeout: requestTimeoutMs,
    rewriteUrl: (request) => {
      const url = tolerantUrl(request.url ?? '/')
      request.method = tolerantMethod(request.method ?? 'GET', url)
      return url
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: true,
        verbose: true,
        strict: false,
      },
    },
  }) as unknown as FastifyInstance
  addErrorHandling(app, addWebApp(app))
  addJsonParser(app)
  await app.register(formbody, { bodyLimit: bodyLimitBytes })
  await addRateLimit(app, deps)
  await addOpenApi(app)
  app.register(async (scope) => addRoutes(scope, deps, () => app.swagger()))
  await app.ready()
  return app
}

/** All operations; `document` gives what describes them, once all are there. */
function addRoutes(
  scope: FastifyInstance,
  deps: AppDeps,
  document: Parameters<typeof addServiceRoutes>[2],
): void {
  const audit = createRequestAudit(deps.audit, deps.store)
  const router = createRouter(scope, { gate: deps.access, store: deps.store, audit })
  addSessionRoutes(router, deps)
  addSelfRoutes(router, deps.store)
  addSignInMethodsRoutes(router, deps)
  addSetupRoutes(router, deps)
  addRenewalRoutes(router, deps)
  addMfaRoutes(router, deps)
  addAuthPreferencesRoutes(router, deps)
  addSamlRoutes(router, deps)
  addSamlAliasRoutes(router, deps)
  addSsoRoutes(router, deps)
  addOAuthRoutes(router, deps)
  addApiKeyRoutes(router, deps)
  addAttackRoutes(router, deps)
  addHaltRoutes(router, deps)
  addAttackBlockRoutes(router, deps)
  addEventRoutes(router, deps)
  addMetadataRoutes(router)
  addMetricsRoutes(router, deps)
  addClientRoutes(router, deps)
  addContainerRoutes(router, deps)
  addTeamRoutes(router, deps)
  addCompanyRoutes(router, deps)
  addRoleRoutes(router)
  addUserRoutes(router, deps)
  addInvitationRoutes(router, deps)
  addPasswordResetRoutes(router, deps)
  addAuditRoutes(router, deps)
  addServiceRoutes(router, deps, document)
}
