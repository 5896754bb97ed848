import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ApiError,
  errorCatalogue,
  type ErrorBody,
  type ErrorCode,
} from '../../shared/api/errors.ts'
import { sendRefusalPage, wantsPage } from '../pages/refusal-page.ts'
import type { AppPage } from '../pages/web-app.ts'
import { isStorageError } from '../store/redis.ts'
import { insteadOf } from './not-offered.ts'

/**
 * Turns whatever a handler throws into the one error body. Unknown errors say nothing of themselves. `appPage` is
 * what people get who open an address that is not there.
 */
export function addErrorHandling(app: FastifyInstance, appPage?: AppPage): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = toApiError(error)
    // What is turned away in a flood must not flood the log.
    const isFault = known.status >= 500 && known.code !== 'too_many_logins'
    if (isFault) request.log.error({ err: error }, known.code)
    const isPage = request.routeOptions.config.contract?.isForBrowsers && wantsPage(request)
    return isPage ? sendRefusalPage(reply, request, known) : sendError(reply, request, known)
  })
  app.setNotFoundHandler((request, reply) => {
    if (appPage?.(request, reply)) return reply
    return sendError(
      reply,
      request,
      new ApiError(
        'route_not_found',
        `There is no ${request.method} ${request.url.split('?')[0]?.slice(0, 200)} here. ` +
          (insteadOf(request.method, request.url) ?? 'See /v1/openapi.json for what there is.'),
      ),
    )
  })
}

/** Answers requests that the router could not even read, in the same shape. */
export function answerBadUrl(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const known =
    error.code === 'FST_ERR_BAD_URL'
      ? new ApiError(
          'invalid_body',
          'The path is not well encoded: each % must begin an escape of two hex digits.',
        )
      : new ApiError('route_not_found', 'A part of this path is longer than anything here.')
  void sendError(reply, request, known)
}

/** Answers bytes that are not HTTP, or that come too slowly, in the same shape. */
export function answerBadClient(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const [status, code, message] = isSlow
    ? ['408 Request Timeout', 'request_timeout', errorCatalogue.request_timeout.hint]
    : ['400 Bad Request', 'malformed_request', errorCatalogue.malformed_request.hint]
  const body = JSON.stringify({ error: { code, message, requestId: randomUUID() } })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function sendError(reply: FastifyReply, request: FastifyRequest, error: ApiError): FastifyReply {
  const body: ErrorBody = {
    error: {
      code: error.code,
      message: error.message,
      ...(error.details ? { details: error.details } : {}),
      requestId: request.id,
    },
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  if (error.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply.status(error.status).type('application/json; charset=utf-8').send(body)
}

/** Errors of the framework that mean something to the caller. */
const frameworkErrors: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than 256 KiB. Send less.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'This Content-Type is not accepted here. Send application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed_json',
    'The body is not as long as Content-Length says.',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_json', 'The body is empty. Send a JSON object.'],
}

function toApiError(error: FastifyError): ApiError {
  if (error instanceof ApiError) return error
  if (error.validation) return validationError(error)
  const framework = frameworkErrors[error.code]
  if (framework) return new ApiError(...framework)
  if (isStorageError(error))
    return new ApiError(
      'storage_unavailable',
      'The controller cannot reach its storage, so it is not known whether this was done. Try again shortly, a new attack with the same Idempotency-Key.',
      { retryAfterSeconds: 2, cause: error },
    )
  if (error.message === 'aborted')
    return new ApiError('malformed_request', 'The request ended before it was complete.')
  if (error.statusCode === 400)
    return new ApiError('malformed_json', 'The body could not be read. Send well-formed JSON.')
  return new ApiError(
    'internal',
    'Something went wrong in the controller. The request id names it in its log.',
    {
      cause: error,
    },
  )
}

interface Fault {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params: Record<string, unknown>
  readonly data?: unknown
}

/** Names the field, the value and what is allowed. */
function validationError(error: FastifyError): ApiError {
  const fault = (error.validation as unknown as Fault[])[0] as Fault
  const missing = fault.keyword === 'required' ? `/${String(fault.params['missingProperty'])}` : ''
  const path = `${fault.instancePath}${missing}`.slice(1).replaceAll('/', '.')
  const field = path || (error.validationContext ?? 'body')
  if (missing)
    return new ApiError('invalid_body', `${field} is missing. Add it.`, { details: { field } })
  const value = shorten(fault.data)
  const allowed = allowedBy(fault)
  return new ApiError('invalid_body', `${field} cannot be ${value}. Allowed: ${allowed}.`, {
    details: { field, value, allowed },
  })
}

function allowedBy({ params, message }: Fault): string {
  const { allowedValues } = params
  if (Array.isArray(allowedValues)) return allowedValues.join(', ')
  return (message ?? 'another value').replace(/^must be /, '')
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
