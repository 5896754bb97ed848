import type { FastifyRequest } from 'fastify'
import type { SignInOrigin } from '../store/sessions.ts'

/** As much of it is kept: what comes in the header is of any length. */
const userAgentLimit = 300

/** From where a request comes, and with what. */
export function originOf(request: FastifyRequest): SignInOrigin {
  // It is shown on terminals as well.
  const userAgent = request.headers['user-agent']
    ?.slice(0, userAgentLimit)
    .replaceAll(/\p{Cc}/gu, ' ')
  return { address: request.ip, userAgent: userAgent || undefined }
}
