import { ApiError } from '../../shared/api/errors.ts'

/** Why a sign-in by a provider is refused; the browser is told none of it, the company's admins all. */
export class SsoRefusal extends Error {
  /** Which check failed. */
  readonly check: string
  constructor(check: string, reason: string) {
    super(reason)
    this.name = 'SsoRefusal'
    this.check = check
  }
}

/** What a browser is told, whatever is wrong; `why` is for the audit alone. */
export function ssoRefused(why: string): ApiError {
  return new ApiError(
    'sso_refused',
    'The sign-in was refused. Begin it anew; an admin of the company can see why.',
    { why },
  )
}

/** What came, for a reason: short, in quotes. */
export function shown(text: string | undefined): string {
  if (text === undefined) return 'nothing'
  return `"${text.length > 120 ? `${text.slice(0, 120)}…` : text}"`
}

/** What came, for a field of the trace. */
export function traced(text: string | undefined): string | null {
  return text?.slice(0, 300) ?? null
}
