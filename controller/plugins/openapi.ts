import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { version } from '../../shared/version.ts'

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 40"><path d="M2 22h12l5-14 8 26 6-18 4 6h9" ' +
  'fill="none" stroke="#f5a623" stroke-width="3" stroke-linejoin="round"/>' +
  '<text x="54" y="28" font-family="sans-serif" font-size="22" fill="#fff">Temblor</text></svg>'

/** Nothing from elsewhere, on whatever address and scheme the page is served. */
const pagePolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; " +
  "object-src 'none'; base-uri 'self'; frame-ancestors 'none'"

/**
 * Publishes the contracts as OpenAPI 3.1, each operation with its privilege in `security`, and a page to
 * read and try them at `/docs`. The page comes from this server alone.
 */
export async function addOpenApi(app: FastifyInstance): Promise<void> {
  const optional = new Set<string>()
  app.addHook('onRoute', ({ config }) => {
    if (config?.contract?.bodyOptional) optional.add(config.contract.operationId)
  })
  await app.register(swagger, {
    transformObject: (document) => withOptionalBodies(document, optional),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Temblor',
        description:
          'Fault injection into hosts and containers. Every error has the body {"error":{"code","message","details","requestId"}}.',
        version,
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          session: {
            type: 'http',
            scheme: 'bearer',
            description:
              'The header of a session from POST /users/auth. The scope is the privilege needed.',
          },
        },
      },
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    theme: { title: 'Temblor API' },
    logo: { type: 'image/svg+xml', content: Buffer.from(logo) },
    uiConfig: { deepLinking: true, tryItOutEnabled: false, validatorUrl: null },
  })
  // The page's own links are relative to `/docs/`; nothing is ever answered with a redirect.
  app.addHook('onSend', async (request, _reply, payload) =>
    request.url === '/docs' && typeof payload === 'string'
      ? payload.replace('<head>', '<head><base href="/docs/">')
      : payload,
  )
}

interface Operation {
  operationId?: string
  requestBody?: { required?: boolean }
}

/** The generator calls every body required. */
function withOptionalBodies(document: object, optional: ReadonlySet<string>): never {
  const { openapiObject } = document as {
    openapiObject: { paths?: Record<string, Record<string, Operation>> }
  }
  for (const path of Object.values(openapiObject.paths ?? {}))
    for (const { operationId, requestBody } of Object.values(path))
      if (requestBody && optional.has(operationId ?? '')) requestBody.required = false
  return openapiObject as never
}
