import { Type, type Static } from 'typebox'
import { defineRoute } from './route.ts'
import { login, Session } from './sessions.ts'

const Email = Type.String({ minLength: 1, maxLength: 254, description: 'Email address.' })
const Password = Type.String({ maxLength: 1024 })
const Ticket = Type.String({
  maxLength: 100,
  description: 'Of the details of `mfa_required` or `mfa_enrolment_required`, for five minutes.',
})
const Token = Type.Union(
  [Type.Integer({ minimum: 0, maximum: 999_999 }), Type.String({ maxLength: 40 })],
  {
    description: 'A code of the authenticator. Each is good once.',
  },
)
const TokenOrRecoveryCode = Type.Union(Token.anyOf, {
  description: 'A code of the authenticator, or a recovery code. Each is good once.',
})

const form = ['application/x-www-form-urlencoded', 'application/json'] as const
const guarded = [
  'invalid_body',
  'malformed_json',
  'invalid_credentials',
  'too_many_logins',
  'locked_out',
] as const
const success = { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' } as const

export const signInWithCode = defineRoute({
  operationId: 'signInWithCode',
  audit: 'session.login',
  method: 'POST',
  path: '/users/auth/mfa/auth',
  tag: 'users.auth.mfa',
  summary:
    'Sign in with a code besides the password, or besides the ticket that the password gave. After an enrolment with the ticket, the ticket alone is enough, once.',
  access: 'public',
  consumes: form,
  query: login.query,
  body: Type.Object({
    email: Email,
    password: Type.Optional(Password),
    ticket: Type.Optional(Ticket),
    token: Type.Optional(TokenOrRecoveryCode),
    companyName: login.body.properties.companyName,
  }),
  success: { status: 200, schema: Type.Union([Type.Array(Session), Session]) },
  errors: guarded,
})

/** What an authenticator is set up with. */
export const MfaSecret = Type.Object(
  {
    secretKey: Type.String({ description: 'Base32, to be typed into an authenticator.' }),
    qrUrl: Type.String({ description: 'A `data:` image of a QR code with `otpauthUrl`.' }),
    otpauthUrl: Type.String({ description: '`otpauth://totp/…`' }),
  },
  { title: 'MfaSecret' },
)
export type MfaSecret = Static<typeof MfaSecret>

export const enableMfa = defineRoute({
  operationId: 'enableMfa',
  audit: 'mfa.begin',
  method: 'POST',
  path: '/users/auth/mfa/enable',
  tag: 'users.auth.mfa',
  summary:
    'Get a secret for an authenticator. It counts once `validate` was given a code, within ten minutes; asking again gives another.',
  access: 'public',
  consumes: form,
  body: Type.Object({
    email: Email,
    password: Type.Optional(Password),
    ticket: Type.Optional(Ticket),
  }),
  success: { status: 200, schema: MfaSecret },
  errors: [...guarded, 'mfa_enabled'],
})

export const validateMfa = defineRoute({
  operationId: 'validateMfa',
  audit: 'mfa.enrol',
  method: 'POST',
  path: '/users/auth/mfa/validate',
  tag: 'users.auth.mfa',
  summary:
    'Show the first code: from now on each sign-in with the password asks for one. The answer has the recovery codes, one a line, which are not shown again.',
  access: 'public',
  consumes: form,
  body: Type.Object({ email: Email, token: Token, ticket: Type.Optional(Ticket) }),
  success: { status: 200, schema: Type.String(), mediaType: 'text/plain' },
  errors: guarded,
})

/** The recovery codes in the answer to `validate`. */
export function recoveryCodesIn(text: string): string[] {
  return text.split('\n').filter((line) => /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/.test(line))
}

export const disableMfa = defineRoute({
  operationId: 'disableMfa',
  audit: 'mfa.disable',
  method: 'POST',
  path: '/users/auth/mfa/disable',
  tag: 'users.auth.mfa',
  summary:
    'Switch the own second factor off, with the password and a code. All sessions of the user end.',
  access: 'public',
  consumes: form,
  body: Type.Object({ email: Email, password: Password, token: TokenOrRecoveryCode }),
  success,
  errors: guarded,
})

export const forceDisableMfa = defineRoute({
  operationId: 'forceDisableMfa',
  audit: 'mfa.force-disable',
  method: 'POST',
  path: '/users/auth/mfa/forceDisable',
  tag: 'users.auth.mfa',
  summary:
    'Switch the second factor of a user off who lost it. All sessions of the user end. Not for oneself, nor for who holds a privilege that the caller lacks.',
  access: 'COMPANY_SECURITY_WRITE',
  consumes: form,
  body: Type.Object({ email: Email }),
  success,
  errors: ['invalid_body', 'malformed_json', 'user_not_found'],
})

/** Whether the own second factor is on. */
export const MfaInfo = Type.Object(
  {
    enabled: Type.Enum(['true', 'false']),
    provider: Type.Literal('TOTP'),
    required: Type.Boolean({ description: 'Whether the company asks for one.' }),
    recovery_codes_left: Type.Integer({ minimum: 0 }),
  },
  { title: 'MfaInfo' },
)
export type MfaInfo = Static<typeof MfaInfo>

export const readMfaInfo = defineRoute({
  operationId: 'readMfaInfo',
  method: 'GET',
  path: '/users/auth/mfa/info',
  tag: 'users.auth.mfa',
  summary: 'Whether the own second factor is on.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  success: { status: 200, schema: MfaInfo },
  errors: [],
})

export const readMfaEnabled = defineRoute({
  operationId: 'readMfaEnabled',
  method: 'GET',
  path: '/users/auth/mfa/:email/enabled',
  tag: 'users.auth.mfa',
  summary: 'Whether the second factor of a user of the company is on.',
  access: 'SECURITY_REPORTS_READ',
  params: Type.Object({ email: Type.String({ description: 'Email address.' }) }),
  success: { status: 200, schema: Type.Boolean() },
  errors: ['user_not_found'],
})
