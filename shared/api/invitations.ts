import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { GivenName } from './person-name.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'
import { Timestamp } from './timestamp.ts'

const Email = Type.String({ minLength: 1, maxLength: 254, description: 'Email address.' })
const success = { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' } as const
const CompanyId = Type.String({ description: 'The company of the session.' })
const EmailInPath = Type.String({ description: 'Email address.' })

/** An invitation. Without a mail server whoever made it hands the link on. */
export const Invitation = Type.Object(
  {
    identifier: Type.String({ description: 'Who is invited.' }),
    accept_url: Nullable(
      Type.String({
        description: 'With it the person joins. Shown only here; null when it is mailed instead.',
      }),
    ),
    expires_at: Timestamp,
    mailed: Type.Boolean({ description: 'The link goes to the person by mail.' }),
  },
  { title: 'Invitation' },
)
export type Invitation = Static<typeof Invitation>

export const inviteToCompany = defineRoute({
  operationId: 'inviteToCompany',
  audit: 'invitation.create',
  method: 'POST',
  path: '/companies/:companyId/invites',
  tag: 'companies',
  summary: 'Invite people to the company in its default role; all of them or none.',
  access: 'COMPANY_USERS_WRITE',
  query: TeamQuery,
  params: Type.Object({ companyId: CompanyId }),
  body: Type.Array(
    Type.Object({
      identifier: Type.Optional(Email),
      email: Type.Optional(Email),
      ...GivenName,
    }),
    { minItems: 1, maxItems: 100 },
  ),
  success: { status: 200, schema: Type.Array(Invitation) },
  errors: ['company_not_found', 'invalid_body', 'malformed_json', 'already_member'],
})

export const inviteToTeam = defineRoute({
  operationId: 'inviteToTeam',
  audit: 'invitation.create',
  method: 'POST',
  path: '/users/invite',
  tag: 'users',
  summary: 'Invite somebody to the company and, with a session of a team, to that team.',
  access: 'COMPANY_USERS_WRITE',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  query: TeamQuery,
  body: Type.Object({ email: Email, source_detail: Type.Optional(Nullable(Type.String())) }),
  success: { status: 200, schema: Invitation },
  errors: ['invalid_body', 'malformed_json', 'already_member'],
})

export const withdrawCompanyInvitation = defineRoute({
  operationId: 'withdrawCompanyInvitation',
  audit: 'invitation.withdraw',
  method: 'DELETE',
  path: '/companies/:companyId/invites/:email',
  tag: 'companies',
  summary: 'Withdraw an invitation: its link does nothing any more.',
  access: 'COMPANY_USERS_WRITE',
  query: TeamQuery,
  params: Type.Object({ companyId: CompanyId, email: EmailInPath }),
  success,
  errors: ['company_not_found', 'user_not_found'],
})

export const withdrawInvitation = defineRoute({
  operationId: 'withdrawInvitation',
  audit: 'invitation.withdraw',
  method: 'DELETE',
  path: '/users/invite/:email',
  tag: 'users',
  summary: 'The same for the company of the session.',
  access: 'COMPANY_USERS_WRITE',
  query: TeamQuery,
  params: Type.Object({ email: EmailInPath }),
  success,
  errors: ['user_not_found'],
})

export const acceptInvitation = defineRoute({
  operationId: 'acceptInvitation',
  audit: 'invitation.accept',
  method: 'POST',
  path: '/companies/:companyId/users',
  tag: 'companies',
  summary:
    'Join the company with the code of an invitation. Who has a user already gives its password.',
  access: 'public',
  params: Type.Object({ companyId: CompanyId }),
  body: Type.Object({
    email: Email,
    code: Type.String({ minLength: 1, maxLength: 200 }),
    password: Type.String({ minLength: 1, maxLength: 1024 }),
  }),
  success: {
    status: 200,
    schema: Type.Object({
      identifier: Type.String(),
      company_id: Type.String({ format: 'uuid' }),
      company_name: Type.String(),
    }),
  },
  errors: [
    'invalid_body',
    'malformed_json',
    'invalid_credentials',
    'too_many_logins',
    'locked_out',
  ],
})
