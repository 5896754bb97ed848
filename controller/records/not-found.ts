import { ApiError, type ErrorCode } from '../../shared/api/errors.ts'

/** There is no such attack in this team (another team's is not there either). */
export function attackNotFound(attackId: string): ApiError {
  return notFound('attack_not_found', attackId, 'This team has no attack', 'GET /attacks')
}

/** There is no such host in this team. */
export function clientNotFound(identifier: string): ApiError {
  return notFound('client_not_found', identifier, 'This team has no host', 'GET /clients')
}

/** There is no such container on the active hosts of this team. */
export function containerNotFound(identifier: string): ApiError {
  const what = 'No active host of this team runs a container'
  return notFound('container_not_found', identifier, what, 'GET /containers')
}

function notFound(code: ErrorCode, id: string, what: string, list: string): ApiError {
  const value = id.slice(0, 100)
  return new ApiError(code, `${what} ${value}. ${list} lists those there are.`, {
    details: { value },
  })
}
