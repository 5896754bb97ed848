import { ApiError } from '../../shared/api/errors.ts'

/** Refuses a field of a request. @throws ApiError `invalid_body` */
export function invalid(field: string, value: string, allowed: string): never {
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value
  throw new ApiError('invalid_body', `${field} cannot be "${shown}". Allowed: ${allowed}.`, {
    details: { field, value: shown, allowed },
  })
}
