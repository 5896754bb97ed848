import { ApiError } from '../../shared/api/errors.ts'

/** There is no such attack in this team (another team's is not there either). */
export function attackNotFound(attackId: string): ApiError {
  const value = attackId.slice(0, 100)
  return new ApiError(
    'attack_not_found',
    `This team has no attack ${value}. GET /attacks lists those there are.`,
    { details: { value } },
  )
}

/** There is no such host in this team. */
export function clientNotFound(identifier: string): ApiError {
  const value = identifier.slice(0, 100)
  return new ApiError(
    'client_not_found',
    `This team has no host ${value}. GET /clients lists those there are.`,
    { details: { value } },
  )
}

/** There is no such container on the active hosts of this team. */
export function containerNotFound(identifier: string): ApiError {
  const value = identifier.slice(0, 100)
  return new ApiError(
    'container_not_found',
    `No active host of this team runs a container ${value}. GET /containers lists those there are.`,
    { details: { value } },
  )
}
