import { Type, type Static } from 'typebox'
import { defineRoute } from './route.ts'
import { Session } from './sessions.ts'
import { SignInFailure } from './sign-in-failures.ts'
import { Timestamp } from './timestamp.ts'

/** Certificates that a provider may have at once: the present one and those that roll over. */
export const certificateLimit = 5

/** The SAML identity provider of a company, as it is shown. */
export const SamlIdpPrefs = Type.Object(
  {
    entityId: Type.String(),
    url: Type.String({ description: 'Where sign-ins begin.' }),
    cert: Type.String({ description: 'Its certificates as PEM, one after the other.' }),
    enabled: Type.Boolean({ description: 'As `samlEnabled` of the preferences.' }),
    forced: Type.Boolean({ description: 'As `samlForced` of the preferences.' }),
    claimsForced: Type.Boolean({ description: 'As `claimsRequired` of the preferences.' }),
    idpInitiated: Type.Boolean({ description: 'Whether sign-ins may begin at the provider.' }),
  },
  { title: 'SamlIdpPrefs' },
)

const form = ['application/x-www-form-urlencoded', 'application/json'] as const
const Flag = Type.Union([Type.Boolean(), Type.String({ pattern: '^([Tt]rue|[Ff]alse)$' })])
const OptionalFlag = Type.Optional(
  Type.Union([Type.Boolean(), Type.String({ pattern: '^([Tt]rue|[Ff]alse|)$' }), Type.Null()]),
)

export const setSamlProps = defineRoute({
  operationId: 'setSamlProps',
  audit: 'company.saml',
  method: 'POST',
  path: '/companies/:companyId/saml/props',
  tag: 'companies',
  summary:
    'Set the SAML identity provider of the company. `forced`, `claimsForced` and `idpInitiated` stay when they are left out.',
  access: 'COMPANY_SECURITY_WRITE',
  params: Type.Object({ companyId: Type.String({ description: 'The company of the session.' }) }),
  consumes: form,
  body: Type.Object({
    enabled: Flag,
    entityId: Type.String({ minLength: 1, maxLength: 1024 }),
    idpUrl: Type.String({ minLength: 1, maxLength: 2048 }),
    certificate: Type.String({
      minLength: 1,
      maxLength: 40_000,
      description: `PEM; up to ${certificateLimit} of them, one after the other, to roll over.`,
    }),
    forced: OptionalFlag,
    claimsForced: OptionalFlag,
    idpInitiated: OptionalFlag,
  }),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['invalid_body', 'malformed_json', 'company_not_found', 'would_lock_out'],
})

/** What the metadata of a provider say, in the form in which `setSamlProps` takes it. */
export const SamlIdpMetadata = Type.Object(
  {
    entityId: Type.String(),
    idpUrl: Type.String(),
    certificate: Type.String({ description: 'PEM, one after the other.' }),
    certificates: Type.Array(
      Type.Object({
        sha256: Type.String(),
        subject: Type.String(),
        notBefore: Timestamp,
        notAfter: Timestamp,
      }),
    ),
  },
  { title: 'SamlIdpMetadata' },
)
export type SamlIdpMetadata = Static<typeof SamlIdpMetadata>

export const readSamlIdpMetadata = defineRoute({
  operationId: 'readSamlIdpMetadata',
  audit: false,
  method: 'POST',
  path: '/companies/:companyId/saml/idp-metadata',
  tag: 'companies',
  summary:
    'Read the metadata of an identity provider, to be looked at and then set. Changes nothing.',
  access: 'COMPANY_SECURITY_WRITE',
  params: Type.Object({ companyId: Type.String({ description: 'The company of the session.' }) }),
  consumes: form,
  body: Type.Object({
    metadata: Type.String({
      minLength: 1,
      maxLength: 128 * 1024,
      description: 'The XML itself; nothing is fetched.',
    }),
  }),
  success: { status: 200, schema: SamlIdpMetadata },
  errors: ['invalid_body', 'malformed_json', 'company_not_found'],
})

export const readSamlMetadata = defineRoute({
  operationId: 'readSamlMetadata',
  method: 'GET',
  path: '/users/auth/saml/metadata',
  tag: 'users.auth.saml',
  summary: 'The signed metadata of this service provider, the same for all companies.',
  access: 'public',
  query: Type.Object({ companyName: Type.Optional(Type.String({ maxLength: 200 })) }),
  success: { status: 200, schema: Type.String(), mediaType: 'application/xml' },
  errors: [],
})

const Redirect = Type.Literal('', { description: 'Nothing: Location leads on.' })

export const beginSamlLogin = defineRoute({
  operationId: 'beginSamlLogin',
  method: 'GET',
  path: '/users/auth/saml/login',
  tag: 'users.auth.saml',
  summary: 'Begin a sign-in: leads to the identity provider of the company with a signed request.',
  access: 'public',
  isForBrowsers: true,
  query: Type.Object({
    companyName: Type.String({ minLength: 1, maxLength: 200 }),
    destination: Type.Optional(
      Type.String({ maxLength: 1024, description: 'Path behind the sign-in; `/` unless stated.' }),
    ),
    acsHandler: Type.Optional(
      Type.String({ maxLength: 1024, description: 'The address of the app; no other is allowed.' }),
    ),
  }),
  success: { status: 302, schema: Redirect, mediaType: 'text/plain' },
  errors: ['invalid_body', 'sso_refused', 'too_many_logins'],
})

export const consumeSamlResponse = defineRoute({
  operationId: 'consumeSamlResponse',
  audit: 'session.saml',
  method: 'POST',
  path: '/users/auth/saml/acs',
  tag: 'users.auth.saml',
  summary:
    'Where the identity provider sends the browser with its response (HTTP-POST binding). Leads to the app with a code that is good once.',
  access: 'public',
  isForBrowsers: true,
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Object({
    SAMLResponse: Type.String({ minLength: 1 }),
    RelayState: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: '`company|||app address|||destination`; needed where the provider begins.',
      }),
    ),
  }),
  success: { status: 303, schema: Redirect, mediaType: 'text/plain' },
  errors: ['invalid_body', 'sso_refused', 'locked_out', 'too_many_logins'],
})

export const openSamlSession = defineRoute({
  operationId: 'openSamlSession',
  audit: 'session.login',
  method: 'POST',
  path: '/users/auth/saml/sessions',
  tag: 'users.auth.saml',
  summary:
    'Exchange the code of a sign-in, once and within a minute, for a session of the company.',
  access: 'public',
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
  body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 200 }) }),
  success: { status: 200, schema: Session },
  errors: ['invalid_body', 'malformed_json', 'sso_refused'],
})

export const listSamlFailures = defineRoute({
  operationId: 'listSamlFailures',
  method: 'GET',
  path: '/users/auth/saml/failures',
  tag: 'users.auth.saml',
  summary:
    'The newest refused sign-ins by providers of the company, whatever their kind (200 at most), and why.',
  access: 'COMPANY_SECURITY_READ',
  query: Type.Object({
    email: Type.Optional(Type.String({ maxLength: 254 })),
    teamId: Type.Optional(Type.String()),
  }),
  success: { status: 200, schema: Type.Array(SignInFailure) },
  errors: ['invalid_body'],
})
