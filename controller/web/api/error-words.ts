import { ApiError, type ErrorCode } from '../../../shared/api/errors.ts'

/** The server writes for programs too; these say the same to somebody in front of a page. */
const words: Partial<Record<ErrorCode, string>> = {
  invalid_credentials:
    'Email address, password and company do not belong together. Check each of them.',
  unauthenticated: 'Your session has ended. Sign in again.',
  sso_refused: 'The sign-in was refused. Admins of your company see why under Company, Sign-ins.',
  too_many_logins: 'Too many people are signing in at this moment. Try again shortly.',
  locked_out: 'There were too many wrong tries. Wait a few minutes, then try again.',
}

/** What went wrong, for people. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return words[error.code] ?? error.message
  if (error instanceof TypeError) return 'The controller does not answer. Is your network up?'
  return 'Something went wrong on this page. Load it again.'
}

/** Whether trying again may help: the network, or a controller that is starting or overloaded. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429
  return error instanceof TypeError
}
