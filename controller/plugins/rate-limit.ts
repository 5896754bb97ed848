import { createHash } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../shared/api/errors.ts'
import type { Access } from '../auth/access.ts'
import { requestCounter } from '../store/request-counts.ts'
import type { Redis } from '../store/redis.ts'

/** Requests that one session or key (or one address without either) may make in a minute. */
const requestsPerMinute = 600

export interface RateLimitDeps {
  readonly access: Access
  readonly redis: Redis
}

/** Counts requests in Redis, for all controllers together. Halts are never counted. */
export async function addRateLimit(app: FastifyInstance, deps: RateLimitDeps): Promise<void> {
  const { redis } = deps
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    store: requestCounter(redis),
    // A limiter that cannot count must not close the API.
    skipOnError: true,
    keyGenerator: async (request) =>
      createHash('sha256')
        .update(await countedAs(deps, request))
        .digest('base64url'),
    allowList: (request) => request.routeOptions.config.contract?.rateLimit === false,
    errorResponseBuilder: (_request, context) => {
      const seconds = Math.ceil(context.ttl / 1000)
      return new ApiError(
        'too_many_requests',
        `More than ${requestsPerMinute} requests in a minute. Try again in ${seconds} s.`,
        { retryAfterSeconds: seconds, details: { limit: requestsPerMinute, window_seconds: 60 } },
      )
    },
  })
}

/**
 * Whom a request counts for. A header that is made up, or a known one in another spelling, must not buy more of
 * them; and who has only such a header uses up nothing of what the address may sign in.
 */
async function countedAs({ access }: RateLimitDeps, request: FastifyRequest): Promise<string> {
  const { contract } = request.routeOptions.config
  const { authorization } = request.headers
  if (contract?.access === 'public' || contract?.rateLimit === false || !authorization)
    return request.ip
  try {
    request.shown = await access.lookUp(authorization)
  } catch {
    // Without storage nothing is counted anyway.
  }
  return request.shown?.found?.record.id ?? `nobody at ${request.ip}`
}
