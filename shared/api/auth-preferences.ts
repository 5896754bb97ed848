import { Type, type Static, type TNull, type TOptional, type TSchema, type TUnion } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'

const onOff = (description: string) => Type.Boolean({ description })

const preferences = {
  passwordEnabled: onOff('Sign-in with a password.'),
  mfaRequired: onOff('A second factor at each sign-in with a password.'),
  googleEnabled: onOff('Sign-in with the public provider of this service, such as Google.'),
  oauthEnabled: onOff('Sign-in with the OAuth provider of the company.'),
  samlEnabled: onOff('Sign-in with a SAML provider.'),
  samlForced: onOff('Sign-in with the SAML provider alone.'),
  samlAliasesEnabled: onOff('Whether values of `company:roles` may be aliases.'),
  claimsRequired: onOff('Role claims at each sign-in with a provider.'),
  allowSessionRenewal: onOff('Whether a renew_token opens the next session.'),
  sessionDuration: Type.Integer({
    minimum: 5,
    maximum: 720,
    description: 'Minutes that a session lasts; of effect while allowSessionRenewal is off.',
  }),
  apiKeysEnabled: onOff('Whether keys work.'),
  apiKeysMaxSecondsToExpireEnabled: onOff('Whether every new key expires.'),
  apiKeysMaxSecondsToExpire: Type.Integer({
    minimum: 60,
    maximum: 10 * 365 * 86_400,
    description: 'After how many seconds at most; of effect while the limit is enabled.',
  }),
}

/** How people sign in to a company, how long that lasts, and which keys there may be. */
export const AuthPreferences = Type.Object(preferences, { title: 'AuthMethodPrefs' })
export type AuthPreferences = Static<typeof AuthPreferences>

/** What holds in a company where nobody has chosen. */
export const defaultAuthPreferences: AuthPreferences = {
  passwordEnabled: true,
  mfaRequired: false,
  googleEnabled: false,
  oauthEnabled: false,
  samlEnabled: false,
  samlForced: false,
  samlAliasesEnabled: false,
  claimsRequired: false,
  allowSessionRenewal: true,
  sessionDuration: 720,
  apiKeysEnabled: true,
  apiKeysMaxSecondsToExpireEnabled: false,
  apiKeysMaxSecondsToExpire: 90 * 86_400,
}

type Changes<P extends Record<string, TSchema>> = {
  [K in keyof P]: TOptional<TUnion<[P[K], TNull]>>
}

/** Each preference may be left out or null: then it stays. */
function changesOf<P extends Record<string, TSchema>>(all: P): Changes<P> {
  const entries = Object.entries(all).map(([name, one]) => [name, Type.Optional(Nullable(one))])
  return Object.fromEntries(entries) as Changes<P>
}

const AuthPreferencesChange = Type.Object(changesOf(preferences))
export type AuthPreferencesChange = Static<typeof AuthPreferencesChange>

const ofCompany = {
  method: 'POST',
  tag: 'companies',
  access: 'COMPANY_SECURITY_WRITE',
  params: Type.Object({ companyId: Type.String({ description: 'The company of the session.' }) }),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: [
    'invalid_body',
    'malformed_json',
    'not_supported',
    'company_not_found',
    'would_lock_out',
  ],
} as const

export const setAuthPreferences = defineRoute({
  ...ofCompany,
  operationId: 'setAuthPreferences',
  audit: 'company.preferences',
  path: '/companies/:companyId/auth/prefs',
  summary: 'Change how people sign in, how long that lasts and which keys there may be.',
  body: AuthPreferencesChange,
})

export const setMfaPreferences = defineRoute({
  ...ofCompany,
  operationId: 'setMfaPreferences',
  audit: 'company.preferences',
  path: '/companies/:companyId/mfaPrefs',
  summary: 'Require a second factor of everybody, or no longer. The provider is always TOTP.',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  body: Type.Object({
    forceMfa: Type.Optional(
      Type.Union([Type.Boolean(), Type.String({ pattern: '^([Tt]rue|[Ff]alse|)$' }), Type.Null()]),
    ),
  }),
  errors: ['invalid_body', 'malformed_json', 'not_supported', 'company_not_found'],
})
