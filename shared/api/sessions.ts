import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { NewPassword } from './password.ts'
import { ShownName } from './person-name.ts'
import { defineRoute } from './route.ts'
import { Timestamp } from './timestamp.ts'

const SessionTeam = Type.Object({
  identifier: Type.String({ format: 'uuid' }),
  name: Type.String(),
  company_id: Type.String({ format: 'uuid' }),
  roles: Type.Array(Type.String()),
})

/** An access token for one organisation. */
export const Session = Type.Object(
  {
    expires_at: Timestamp,
    header: Type.String({ description: 'The whole value of the Authorization header.' }),
    identifier: Type.String({ description: 'The email address of the user.' }),
    org_id: Type.String({ format: 'uuid', description: 'The team; the company without a team.' }),
    org_name: Type.String(),
    company_id: Type.String({ format: 'uuid' }),
    company_name: Type.String(),
    renew_token: Type.String({ format: 'uuid', description: 'Opens the next session, once.' }),
    role: Type.String({
      description: 'Always `USER`; the roles are in `teams` and in users/self.',
    }),
    token: Type.String({ format: 'uuid' }),
    teams: Type.Array(SessionTeam),
    roles: Type.Optional(
      Type.Array(Type.String(), { description: 'Company roles; in a session of the company.' }),
    ),
    privileges: Type.Optional(
      Type.Array(Type.String(), { description: 'Those of the company roles.' }),
    ),
  },
  { title: 'Session' },
)
export type Session = Static<typeof Session>

/** A session as whoever holds it may see it later: its renew token is told once. */
export const OwnSession = Type.Omit(Session, ['renew_token'], { title: 'OwnSession' })
export type OwnSession = Static<typeof OwnSession>

/** The sessions of an answer to a sign-in, which is one session of the company when that was asked for. */
export function sessionsOf(answer: Session | readonly Session[]): readonly Session[] {
  return 'token' in answer ? [answer] : answer
}

/** Characters of an access token; those that are signed are long. */
const accessTokenLimit = 16_384

/** Whose access tokens are taken: of the company's provider, or of the public one of this service. */
const tokenProviders = ['oauth', 'google'] as const

const filled = { minLength: 1 } as const

/** What must be there follows from whether there is an access token; an empty field is one not filled in. */
const withPasswordOrToken = {
  if: { required: ['accessToken'], properties: { accessToken: filled } },
  // oxlint-disable-next-line unicorn/no-thenable
  then: {
    required: ['companyName', 'provider'],
    properties: {
      companyName: { type: 'string', minLength: 1 },
      provider: { enum: tokenProviders },
    },
  },
  else: { required: ['email', 'password'], properties: { email: filled, password: filled } },
} as const

export const login = defineRoute({
  operationId: 'login',
  audit: 'session.login',
  method: 'POST',
  path: '/users/auth',
  tag: 'users.auth',
  summary:
    'Sign in with a password, or with an access token as at `/users/auth/sso`: one session for each organisation of the user, or with `getCompanySession=true` one for all teams of the company, which `teamId` names.',
  access: 'public',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  query: Type.Object({ getCompanySession: Type.Optional(Type.String()) }),
  body: Type.Object(
    {
      email: Type.Optional(Type.String({ maxLength: 254 })),
      password: Type.Optional(Type.String({ maxLength: 1024 })),
      companyName: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
      accessToken: Type.Optional(
        Type.String({
          maxLength: accessTokenLimit,
          description: 'In place of a password, as for `/users/auth/sso`.',
        }),
      ),
      provider: Type.Optional(Type.Enum([...tokenProviders, ''])),
    },
    withPasswordOrToken,
  ),
  success: { status: 200, schema: Type.Union([Type.Array(Session), Session]) },
  errors: [
    'invalid_body',
    'malformed_json',
    'invalid_credentials',
    'sso_refused',
    'mfa_required',
    'mfa_enrolment_required',
    'too_many_logins',
    'locked_out',
  ],
})

export const signInWithToken = defineRoute({
  operationId: 'signInWithToken',
  audit: 'session.login',
  method: 'POST',
  path: '/users/auth/sso',
  tag: 'users.auth',
  summary:
    'Exchange the access token that `GET /oauth/callback` answered, once, for a session of the company.',
  access: 'public',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  query: Type.Object({ getCompanySession: Type.Optional(Type.String()) }),
  body: Type.Object({
    companyName: Type.String({ minLength: 1, maxLength: 200 }),
    accessToken: Type.String({ minLength: 1, maxLength: accessTokenLimit }),
    provider: Type.Enum(tokenProviders, {
      description: 'The provider of the company, or the public one of this service.',
    }),
    email: Type.Optional(
      Nullable(Type.String({ maxLength: 254, description: 'Where it is said, it must fit.' })),
    ),
  }),
  success: { status: 200, schema: Session },
  errors: ['invalid_body', 'malformed_json', 'sso_refused'],
})

const renewal = {
  method: 'POST',
  tag: 'users',
  access: 'public',
  audit: 'session.renew',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'For ten seconds the same key with the same renew_token gets the same answer.',
      }),
    ),
  }),
  success: { status: 200, schema: Session },
  errors: ['invalid_body', 'malformed_json', 'unauthenticated'],
} as const

const OptionalId = Type.Optional(Nullable(Type.String({ maxLength: 100 })))
const renewing = {
  email: Type.String({ minLength: 1, maxLength: 254 }),
  renewToken: Type.String({ minLength: 1, maxLength: 100 }),
}

export const renewSession = defineRoute({
  ...renewal,
  operationId: 'renewSession',
  path: '/users/renew/rbac',
  summary:
    'Open the next session with a renew_token, which is good once; used again, it ends the session. GET with the same form does the same.',
  body: Type.Object({
    ...renewing,
    companyId: Type.String({ minLength: 1, maxLength: 100 }),
    teamId: OptionalId,
  }),
})

export const renewOrgSession = defineRoute({
  ...renewal,
  operationId: 'renewOrgSession',
  path: '/users/renew',
  summary: 'The same for older clients, by the `org_id` of the session.',
  body: Type.Object({ ...renewing, orgId: Type.String({ minLength: 1, maxLength: 100 }) }),
})

export const listOwnSessions = defineRoute({
  operationId: 'listOwnSessions',
  method: 'GET',
  path: '/users/sessions',
  tag: 'users',
  summary:
    'The session of the request with the teams and roles of now: a list of one, or with `getCompanySession=true` itself. It opens none and has no `renew_token`.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  query: Type.Object({ getCompanySession: Type.Optional(Type.String()) }),
  success: { status: 200, schema: Type.Union([Type.Array(OwnSession), OwnSession]) },
  errors: [],
})

export const logout = defineRoute({
  operationId: 'logout',
  audit: 'session.logout',
  method: 'DELETE',
  path: '/users/auth',
  tag: 'users.auth',
  summary: 'End the session that the request is made with.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: [],
})

export const changePassword = defineRoute({
  operationId: 'changePassword',
  audit: 'session.password',
  method: 'PUT',
  path: '/users/auth/password',
  tag: 'users.auth',
  summary: 'Change the own password. All other sessions of the user end; keys stay.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  body: Type.Object({
    currentPassword: Type.String({ minLength: 1, maxLength: 1024 }),
    newPassword: NewPassword,
  }),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: [
    'invalid_body',
    'malformed_json',
    'invalid_credentials',
    'method_disabled',
    'too_many_logins',
    'locked_out',
  ],
})

export const Self = Type.Object(
  {
    identifier: Type.String({ description: 'Email address.' }),
    ...ShownName,
    user_id: Type.String({ format: 'uuid' }),
    company_id: Type.String({ format: 'uuid' }),
    company_name: Type.String(),
    company_roles: Type.Array(Type.String()),
    org_id: Type.String({ format: 'uuid' }),
    org_name: Type.String(),
    privileges: Type.Array(Type.String(), { description: 'What this session may do.' }),
    team_memberships: Type.Array(SessionTeam),
  },
  { title: 'Self' },
)

export const readSelf = defineRoute({
  operationId: 'readSelf',
  method: 'GET',
  path: '/users/self',
  tag: 'users',
  summary: 'The user whom this session belongs to, with roles and privileges.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  success: { status: 200, schema: Self },
  errors: [],
})
