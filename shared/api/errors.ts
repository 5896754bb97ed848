import { Type, type Static } from 'typebox'

/** Every error the API answers with: its code, its HTTP status, and what the caller can do. */
export const errorCatalogue = {
  malformed_request: { status: 400, hint: 'Send a well-formed HTTP/1.1 request.' },
  malformed_json: { status: 400, hint: 'Send one JSON object.' },
  invalid_body: { status: 400, hint: 'Correct the field that is named.' },
  invalid_argument: { status: 400, hint: 'Correct the flag that is named in command.args.' },
  unknown_attack_type: { status: 400, hint: 'Use one of the attack types that are listed.' },
  invalid_target: { status: 400, hint: 'Correct the target field that is named.' },
  target_not_found: { status: 400, hint: 'Name hosts, tags or labels that are there now.' },
  not_supported: { status: 400, hint: 'Leave out the key that is named.' },
  invalid_credentials: { status: 401, hint: 'Check email, password and company name.' },
  mfa_required: { status: 401, hint: 'Send a code to POST /users/auth/mfa/auth.' },
  mfa_enrolment_required: {
    status: 401,
    hint: 'Set up an authenticator: POST /users/auth/mfa/enable, then validate.',
  },
  sso_refused: {
    status: 401,
    hint: 'Sign in anew; admins of the company see why at GET /users/auth/saml/failures.',
  },
  unauthenticated: { status: 401, hint: 'Sign in and send the session header as Authorization.' },
  forbidden: { status: 403, hint: 'Ask a manager of the team for a role with this privilege.' },
  controller_host: {
    status: 403,
    hint: 'Leave that host out, or have a company admin give --allow-controller-host.',
  },
  method_disabled: { status: 403, hint: 'Use a method that the company allows.' },
  wrong_team: { status: 403, hint: 'Use the session of that team; each session is for one.' },
  team_not_found: { status: 404, hint: 'Check the id or name; GET /teams lists those there are.' },
  user_not_found: {
    status: 404,
    hint: 'Check the address; GET /companies/{id}/users lists those there are.',
  },
  company_not_found: { status: 404, hint: 'Use the id of the company of your session.' },
  attack_not_found: { status: 404, hint: 'Check the id; GET /attacks lists those of the team.' },
  client_not_found: { status: 404, hint: 'Check the id; GET /clients lists those of the team.' },
  session_not_found: {
    status: 404,
    hint: 'Check the id; GET /users/self/sessions lists those that are not over.',
  },
  key_not_found: { status: 404, hint: 'Check the id; GET /apikeys lists your keys.' },
  alias_not_found: {
    status: 404,
    hint: 'Check the id; GET /companies/{id}/saml/claim-aliases lists those there are.',
  },
  sso_test_not_found: {
    status: 404,
    hint: 'Begin another with POST /companies/{id}/sso/tests; they are kept for an hour.',
  },
  container_not_found: {
    status: 404,
    hint: 'Check the id; GET /containers lists those of the team.',
  },
  name_taken: { status: 409, hint: 'Take another name.' },
  already_member: {
    status: 409,
    hint: 'Leave out who is in the company; reactivate who was revoked.',
  },
  already_in_team: { status: 409, hint: 'Leave out who is in the team.' },
  would_lock_out: { status: 409, hint: 'Have an owner sign in with another method first.' },
  mfa_enabled: { status: 409, hint: 'Switch the present one off first.' },
  already_set_up: { status: 409, hint: 'Sign in, or ask to be invited.' },
  last_owner: { status: 409, hint: 'Make somebody else an owner first.' },
  too_many_keys: { status: 409, hint: 'Revoke a key that is not needed any more.' },
  attacks_blocked: {
    status: 409,
    hint: 'Wait until it is lifted; GET /attacks/block says who blocked them and why.',
  },
  attack_withdrawn: { status: 409, hint: 'Ask again if it is still wanted.' },
  idempotency_conflict: { status: 409, hint: 'Use a new Idempotency-Key for another request.' },
  route_not_found: { status: 404, hint: 'See /v1/openapi.json for the routes there are.' },
  request_timeout: { status: 408, hint: 'Send the whole request within ten seconds.' },
  body_too_large: { status: 413, hint: 'Send at most 256 KiB.' },
  unsupported_media_type: {
    status: 415,
    hint: 'Send application/json or form data as documented.',
  },
  too_many_requests: { status: 429, hint: 'Wait as long as Retry-After says.' },
  locked_out: { status: 429, hint: 'Wait as long as Retry-After says.' },
  internal: { status: 500, hint: 'Report the request id to whoever runs the controller.' },
  not_ready: { status: 503, hint: 'Try again as Retry-After says.' },
  too_many_logins: { status: 503, hint: 'Try again as Retry-After says.' },
  storage_unavailable: {
    status: 503,
    hint: 'Try again as Retry-After says, a new attack with the same Idempotency-Key: what was asked for may have been done just before.',
  },
} as const satisfies Record<string, { status: number; hint: string }>

export type ErrorCode = keyof typeof errorCatalogue

/** The body of every error answer. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'Stable name from the catalogue.' }),
      message: Type.String({ description: 'What is wrong and what to do, for people.' }),
      details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      requestId: Type.String(),
    }),
  },
  { title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** The only error that becomes an answer with its own text; anything else becomes `internal`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined
  readonly retryAfterSeconds: number | undefined
  /** What the answer does not tell, such as which of several things was wrong; for the audit alone. */
  readonly why: string | undefined
  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: Record<string, unknown>
      retryAfterSeconds?: number
      why?: string
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.why = options.why
  }
  get status(): number {
    return errorCatalogue[this.code].status
  }
}
