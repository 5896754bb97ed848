import { errorCatalogue, type ErrorCode } from '../../shared/api/errors.ts'
import type { Answer } from './http.ts'

/** What an error answer says. */
export interface Problem {
  readonly status: number
  readonly code: string
}

/**
 * Reads an error answer and checks what all of them have in common: JSON of the one shape, a reason
 * phrase, text for people, the status that the catalogue gives the code.
 * @throws Error saying what is wrong with it
 */
export function problem(answer: Answer): Problem {
  const fault = faultOf(answer)
  if (fault)
    throw new Error(`${fault}: ${answer.status} ${answer.reason} ${answer.text.slice(0, 300)}`)
  const { code } = (answer.json as { error: { code: string } }).error
  return { status: answer.status, code }
}

function faultOf(answer: Answer): string | undefined {
  if (!/\w/.test(answer.reason)) return 'no reason phrase'
  if (!answer.headers.get('content-type')?.startsWith('application/json')) return 'not JSON'
  const { error, ...others } = answer.json as { error?: Record<string, unknown> }
  if (!error || Object.keys(others).length > 0) return 'not {"error": …}'
  const { details = {}, ...texts } = error
  if (Object.keys(texts).toSorted().join() !== 'code,message,requestId') return 'keys of error'
  if (Object(details) !== details) return 'details is no object'
  if (!Object.values(texts).every((text) => typeof text === 'string' && /\w/.test(text)))
    return 'a text is missing'
  const expected = errorCatalogue[texts['code'] as ErrorCode]
  return expected?.status === answer.status ? undefined : 'not the status of this code'
}
