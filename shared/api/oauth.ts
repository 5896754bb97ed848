import { Type } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'
import { Session } from './sessions.ts'

/** The OAuth provider of a company, as it is shown: without the secret. */
export const OAuthSettings = Type.Object(
  {
    authorizationUri: Type.String(),
    tokenUri: Type.String(),
    userInfoUri: Type.String(),
    clientId: Type.String(),
    clientSecret: Type.Null({ description: 'It is told to nobody.' }),
    scope: Type.String(),
    issuer: Nullable(Type.String({ description: 'null where ID tokens are not looked at.' })),
    enabled: Type.Boolean({ description: 'As `oauthEnabled` of the preferences.' }),
    redirectUris: Type.Array(Type.String()),
    acceptsForeignTokens: Type.Boolean(),
  },
  { title: 'OAuthSettings' },
)

const Address = (description: string) => Type.String({ minLength: 1, maxLength: 2048, description })
const OptionalAddress = (description: string) => Type.Optional(Nullable(Address(description)))

export const setOAuthSettings = defineRoute({
  operationId: 'setOAuthSettings',
  audit: 'company.oauth',
  method: 'POST',
  path: '/companies/:companyId/oauth/settings',
  tag: 'companies',
  summary:
    'Set the OAuth provider of the company. The first one is switched on at once; `enabled`, `redirectUris` and `acceptsForeignTokens` stay when they are left out.',
  access: 'COMPANY_SECURITY_WRITE',
  params: Type.Object({ companyId: Type.String({ description: 'The company of the session.' }) }),
  body: Type.Object({
    authorizationUri: OptionalAddress(
      'Where sign-ins begin. It may be left out, as the next two, where there is an issuer.',
    ),
    tokenUri: OptionalAddress('Where codes are exchanged for access tokens.'),
    userInfoUri: OptionalAddress('Who is asked whose token it is.'),
    clientId: Type.String({ minLength: 1, maxLength: 1024 }),
    clientSecret: Type.String({ minLength: 1, maxLength: 4096 }),
    scope: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 1024,
          description: '`email` unless stated; `openid email` where there is an issuer.',
        }),
      ),
    ),
    issuer: OptionalAddress(
      'Of a provider of OpenID Connect that tells its addresses (discovery); its ID tokens are verified then.',
    ),
    enabled: Type.Optional(Nullable(Type.Boolean())),
    redirectUris: Type.Optional(
      Nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), {
          maxItems: 20,
          description: 'Where browsers may be sent with a code, besides this service itself.',
        }),
      ),
    ),
    acceptsForeignTokens: Type.Optional(
      Nullable(
        Type.Boolean({
          description:
            'Whether access tokens count that the provider gave to anybody, for whatever purpose.',
        }),
      ),
    ),
  }),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['invalid_body', 'malformed_json', 'company_not_found', 'would_lock_out'],
})

export const beginOAuthLogin = defineRoute({
  operationId: 'beginOAuthLogin',
  method: 'GET',
  path: '/oauth/login',
  tag: 'oauth',
  summary:
    'Begin a sign-in: leads to the provider and sets the cookie `oauth_state`, which the callback needs.',
  access: 'public',
  isForBrowsers: true,
  query: Type.Object({
    companyName: Type.String({ minLength: 1, maxLength: 200 }),
    provider: Type.Optional(
      Type.Enum(['oauth', 'google', ''], {
        description:
          'The provider of the company, or the public one of this service; `oauth` unless stated.',
      }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2048,
        description:
          'Where the browser goes on with a code. Without it the callback answers the access token.',
      }),
    ),
    test: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Of a sign-in that only tries the provider: `POST /companies/{id}/sso/tests`.',
      }),
    ),
    destination: Type.Optional(Type.String({ maxLength: 1024, description: 'Of such a test.' })),
  }),
  success: {
    status: 307,
    schema: Type.Literal('', { description: 'Nothing: Location leads on.' }),
    mediaType: 'text/plain',
  },
  errors: ['invalid_body', 'sso_refused'],
})

const Part = Type.Optional(Type.String({ maxLength: 8192 }))

export const finishOAuthLogin = defineRoute({
  operationId: 'finishOAuthLogin',
  audit: 'session.oauth',
  method: 'GET',
  path: '/oauth/callback',
  tag: 'oauth',
  summary:
    'Where the provider sends the browser back. Answers the access token, which is good once and within ten minutes at `POST /users/auth/sso`, or leads to the `redirectUri` of the sign-in with a code.',
  access: 'public',
  isForBrowsers: true,
  query: Type.Object({
    state: Part,
    code: Part,
    iss: Part,
    error: Part,
  }),
  success: { status: 200, schema: Type.Object({ access_token: Type.String() }) },
  redirect: 303,
  errors: ['invalid_body', 'sso_refused'],
})

export const openOAuthSession = defineRoute({
  operationId: 'openOAuthSession',
  audit: 'session.login',
  method: 'POST',
  path: '/oauth/sessions',
  tag: 'oauth',
  summary:
    'Exchange the code of a sign-in, once and within a minute, for a session of the company. Where the code came to this service itself, the cookie `oauth_state` of the sign-in must come along.',
  access: 'public',
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
  body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 200 }) }),
  success: { status: 200, schema: Session },
  errors: ['invalid_body', 'malformed_json', 'sso_refused'],
})
