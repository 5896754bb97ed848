import { readFileSync } from 'node:fs'
import { fastify, type FastifyInstance } from 'fastify'
import { ApiError } from '../shared/api/errors.ts'
import { readHealth } from '../shared/api/service.ts'
import type { ControllerConfig } from './config.ts'
import { addErrorHandling, answerBadClient } from './plugins/errors.ts'

/** What is told on the port of the API while it cannot be served yet. */
export interface WaitingRoom {
  readonly port: number
  /** The port is free when this resolves. */
  close(): Promise<void>
}

const retryAfterSeconds = 2

/**
 * Answers every request with 503, and health with the reason, until storage is there.
 * @throws Error when the port is taken or the certificate is unreadable
 */
export async function openWaitingRoom({
  listen,
  httpPort,
  tls,
}: Pick<ControllerConfig, 'listen' | 'httpPort' | 'tls'>): Promise<WaitingRoom> {
  const app = fastify({
    ...(tls ? { https: { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) } } : {}),
    // Whoever asks again and again must not fill the log; it says once what is missing.
    logger: false,
    clientErrorHandler: answerBadClient,
    forceCloseConnections: true,
  }) as unknown as FastifyInstance
  addErrorHandling(app)
  app.addHook('onRequest', async ({ url }) => {
    throw isHealth(url) ? notReady() : withoutStorage()
  })
  await app.listen({ host: listen, port: httpPort })
  const { port } = app.server.address() as { port: number }
  return { port, close: () => app.close() }
}

function isHealth(url: string): boolean {
  return url.split('?')[0]?.replace(/\/$/, '') === `/v1${readHealth.path}`
}

function notReady(): ApiError {
  const redis = { status: 'failed', message: 'does not answer since this controller was started' }
  return new ApiError('not_ready', `Not ready: redis: ${redis.message}`, {
    details: { parts: { redis } },
    retryAfterSeconds,
  })
}

function withoutStorage(): ApiError {
  return new ApiError(
    'storage_unavailable',
    'The controller waits for its storage. Nothing was changed. Try again shortly.',
    { retryAfterSeconds },
  )
}
