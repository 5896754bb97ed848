import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'
import { ssoMethods } from './sign-in-failures.ts'
import { Timestamp } from './timestamp.ts'

/** Setting up sign-ins by providers, of whatever kind: what to copy there, and a sign-in that changes nothing. */

const Attribute = Type.Object({
  name: Type.String(),
  values: Type.String({ description: 'What its values are.' }),
})

/** What the administrator of a SAML provider is asked for. */
const SamlSetup = Type.Object(
  {
    entityId: Type.String({ description: 'Entity id of this service provider; the audience.' }),
    acsUrl: Type.String({
      description: 'Assertion consumer service; also Recipient, Destination.',
    }),
    metadataUrl: Type.String({
      description: 'All of this as signed metadata, for providers that import.',
    }),
    loginUrl: Type.String({ description: 'Where sign-ins of this company begin.' }),
    relayState: Type.String({ description: 'For sign-ins that the provider begins.' }),
    nameIdFormat: Type.String(),
    requestBinding: Type.String(),
    responseBinding: Type.String(),
    signatureMethod: Type.String({ description: 'Of requests; the least for responses.' }),
    certificate: Type.String({ description: 'PEM, with which requests are signed.' }),
    attributes: Type.Array(Attribute, { description: 'Claims of roles; name format unspecified.' }),
  },
  { title: 'SamlSetup' },
)

/** What the administrator of an OAuth provider is asked for. */
const OAuthSetup = Type.Object(
  {
    redirectUri: Type.String({ description: 'Where the provider sends browsers back to.' }),
    loginUrl: Type.String({ description: 'Where sign-ins of this company begin.' }),
    grantType: Type.String(),
    codeChallengeMethod: Type.String({ description: 'Of PKCE, which is always used.' }),
    scope: Type.String({ description: 'Unless another is set.' }),
    claims: Type.Array(Attribute, { description: 'Claims of roles.' }),
  },
  { title: 'OAuthSetup' },
)

export const SsoSetup = Type.Object({ saml: SamlSetup, oauth: OAuthSetup }, { title: 'SsoSetup' })
export type SsoSetup = Static<typeof SsoSetup>

const OfCompany = Type.Object({
  companyId: Type.String({ description: 'The company of the session.' }),
})
const tag = 'companies'

export const readSsoSetup = defineRoute({
  operationId: 'readSsoSetup',
  method: 'GET',
  path: '/companies/:companyId/sso/setup',
  tag,
  summary: 'What to enter at an identity provider.',
  access: 'COMPANY_SECURITY_READ',
  params: OfCompany,
  success: { status: 200, schema: SsoSetup },
  errors: ['company_not_found'],
})

const Claim = Type.Object({ name: Type.String(), values: Type.Array(Type.String()) })

const Place = Type.Object({
  roles: Type.Array(Type.String()),
  teams: Type.Array(
    Type.Object({
      identifier: Type.String(),
      name: Type.String(),
      roles: Type.Array(Type.String()),
    }),
  ),
})

/** A sign-in that only tries a provider. */
export const SsoTest = Type.Object(
  {
    testId: Type.String({ format: 'uuid' }),
    protocol: Type.Enum(ssoMethods, { description: 'Which kind of provider is tried.' }),
    state: Type.Enum(['WAITING', 'PASSED', 'REFUSED'], {
      description: 'WAITING until an answer of the provider comes.',
    }),
    url: Type.String({ description: 'Where the sign-in begins: for a browser, once.' }),
    startedBy: Type.String(),
    startedAt: Timestamp,
    expiresAt: Timestamp,
    answeredAt: Nullable(Timestamp),
    check: Nullable(Type.String({ description: 'The check that failed.' })),
    reason: Nullable(Type.String({ description: 'What came and what was expected.' })),
    came: Nullable(
      Type.Object({
        isProven: Type.Boolean({ description: 'Whether the provider has signed it.' }),
        issuer: Nullable(Type.String()),
        email: Nullable(Type.String()),
        claims: Type.Array(Claim, {
          description: 'As they came, roles or not; long ones are cut.',
        }),
      }),
    ),
    outcome: Nullable(
      Type.Object(
        {
          isNewMember: Type.Boolean({ description: 'The user is not in the company yet.' }),
          before: Nullable(Place),
          after: Place,
        },
        { description: 'What a sign-in would have done; nothing of it was.' },
      ),
    ),
  },
  { title: 'SsoTest' },
)
export type SsoTest = Static<typeof SsoTest>

export const startSsoTest = defineRoute({
  operationId: 'startSsoTest',
  audit: 'company.sso-test',
  method: 'POST',
  path: '/companies/:companyId/sso/tests',
  tag,
  summary:
    'Begin a sign-in that changes nothing, with the provider as it is set, enabled or not. Open `url` in a browser.',
  access: 'COMPANY_SECURITY_WRITE',
  params: OfCompany,
  body: Type.Object({
    protocol: Type.Enum(ssoMethods),
    destination: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 1024,
          description: 'Path of the app that the browser ends at, with `?ssoTest=<id>`.',
        }),
      ),
    ),
  }),
  success: { status: 200, schema: SsoTest },
  errors: ['invalid_body', 'malformed_json', 'company_not_found', 'not_supported'],
})

export const readSsoTest = defineRoute({
  operationId: 'readSsoTest',
  method: 'GET',
  path: '/companies/:companyId/sso/tests/:testId',
  tag,
  summary: 'What became of a sign-in that changes nothing; kept for an hour.',
  access: 'COMPANY_SECURITY_READ',
  params: Type.Object({ ...OfCompany.properties, testId: Type.String() }),
  success: { status: 200, schema: SsoTest },
  errors: ['company_not_found', 'sso_test_not_found'],
})
