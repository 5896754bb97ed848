import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { version } from '../../shared/version.ts'

/** Publishes the contracts as OpenAPI 3.1; each operation names its privilege in `security`. */
export async function addOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
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
}
