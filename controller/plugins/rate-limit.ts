import { createHash } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../shared/api/errors.ts'
import type { Redis } from '../store/redis.ts'

/** Requests that one token (or one address without a token) may make in a minute. */
const requestsPerMinute = 600

/** Counts requests in Redis, for all controllers together. Halts are never counted. */
export async function addRateLimit(app: FastifyInstance, redis: Redis): Promise<void> {
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    redis,
    nameSpace: 'temblor:rate:',
    // A limiter that cannot count must not close the API.
    skipOnError: true,
    keyGenerator: (request) => {
      // A made-up header must not buy more tries to sign in: public routes count by address.
      const isPublic = request.routeOptions.config.contract?.access === 'public'
      const { authorization } = request.headers
      const caller = isPublic || !authorization ? request.ip : authorization
      return createHash('sha256').update(caller).digest('base64url')
    },
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
