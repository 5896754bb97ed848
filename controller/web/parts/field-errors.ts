import { ApiError } from '../../../shared/api/errors.ts'
import { wordsOf } from '../api/error-words.ts'

/** An error split into what belongs at a field of a form and what belongs below it. */
export interface FieldErrors {
  readonly at: (field: string) => string | undefined
  readonly rest: unknown
}

/** Puts an error of the API at the field that it names, when the form has one of this name. */
export function fieldErrors(error: unknown, fields: readonly string[]): FieldErrors {
  const named = error instanceof ApiError ? error.details?.['field'] : undefined
  const parts = typeof named === 'string' ? named.split('.') : []
  const field = fields.find((name) => parts.includes(name))
  return {
    at: (name) => (name === field ? wordsOf(error) : undefined),
    rest: field === undefined ? error : undefined,
  }
}
