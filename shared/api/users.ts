import { Type, type Static } from 'typebox'
import { companyRoles, teamRoles } from '../roles.ts'
import { Nullable } from './nullable.ts'
import { PageQuery, pageOf } from './page.ts'
import { ShownName } from './person-name.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'
import { Timestamp } from './timestamp.ts'

const Uuid = Type.String({ format: 'uuid' })
const Email = Type.String({ minLength: 1, maxLength: 254, description: 'Email address.' })
const EmailInPath = Type.String({ description: 'Email address.' })
const CompanyRoles = Type.Array(Type.Enum([...companyRoles]), { minItems: 1, maxItems: 5 })
const TeamRoleName = Type.Enum([...teamRoles])
const success = { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' } as const
const PagedQuery = Type.Object({ ...TeamQuery.properties, ...PageQuery.properties })

/** Somebody in a company. */
export const User = Type.Object(
  {
    identifier: Type.String({ description: 'Email address.' }),
    ...ShownName,
    user_id: Nullable(Uuid),
    company_id: Uuid,
    state: Type.Enum(['ACTIVE', 'INVITED', 'REVOKED']),
    roles: Type.Array(Type.String(), { description: 'Roles in the company.' }),
    team_memberships: Type.Array(
      Type.Object({
        identifier: Uuid,
        name: Type.String(),
        company_id: Uuid,
        roles: Type.Array(Type.String()),
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
    invited_by: Nullable(Type.String()),
  },
  { title: 'User' },
)
export type User = Static<typeof User>

/** Whoever may place people in a team: its managers, and those of the company. */
const placing = ['USERS_WRITE', 'COMPANY_USERS_WRITE'] as const

const ofTeam = { method: 'GET', tag: 'users', access: 'USERS_READ', errors: [] } as const

export const listUsers = defineRoute({
  ...ofTeam,
  operationId: 'listUsers',
  path: '/users',
  summary: 'The users of the team, revoked ones as well.',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(User) },
})

export const listActiveUsers = defineRoute({
  ...ofTeam,
  operationId: 'listActiveUsers',
  path: '/users/active',
  summary: 'The users of the team that may sign in.',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(User) },
})

export const pageUsers = defineRoute({
  ...ofTeam,
  operationId: 'pageUsers',
  path: '/users/paged',
  summary: 'The users of the team by address, a page at a time.',
  query: PagedQuery,
  success: { status: 200, schema: pageOf(User) },
  errors: ['invalid_body'],
})

export const pageActiveUsers = defineRoute({
  ...ofTeam,
  operationId: 'pageActiveUsers',
  path: '/users/active/paged',
  summary: 'The users of the team that may sign in, a page at a time.',
  query: PagedQuery,
  success: { status: 200, schema: pageOf(User) },
  errors: ['invalid_body'],
})

export const addTeamUsers = defineRoute({
  operationId: 'addTeamUsers',
  audit: 'team.add-users',
  method: 'POST',
  path: '/users',
  tag: 'users',
  summary: 'Add users of the company to the team in its default role: all of them or none.',
  access: placing,
  query: TeamQuery,
  body: Type.Array(Type.Object({ identifier: Email }), { minItems: 1, maxItems: 100 }),
  success,
  errors: ['invalid_body', 'malformed_json', 'already_in_team'],
})

const UserInPath = Type.Object({ email: EmailInPath })

export const setTeamRoles = defineRoute({
  operationId: 'setTeamRoles',
  audit: 'user.roles',
  method: 'PUT',
  path: '/users/:email',
  tag: 'users',
  summary: 'Give a user these roles in the team instead of the present ones.',
  access: placing,
  consumes: ['application/x-www-form-urlencoded', 'application/json', 'text/plain'],
  query: TeamQuery,
  params: UserInPath,
  body: Type.Union([
    Type.Object({
      role: Type.Union([TeamRoleName, Type.Array(TeamRoleName, { minItems: 1, maxItems: 4 })]),
    }),
    TeamRoleName,
  ]),
  success: { status: 200, schema: User },
  errors: ['invalid_body', 'malformed_json', 'user_not_found'],
})

export const removeTeamUser = defineRoute({
  operationId: 'removeTeamUser',
  audit: 'user.remove',
  method: 'DELETE',
  path: '/users/:email',
  tag: 'users',
  summary: 'Take a user out of the team. The place in the company stays.',
  access: placing,
  query: TeamQuery,
  params: UserInPath,
  success,
  errors: ['user_not_found'],
})

const CompanyId = Type.String({ description: 'The company of the session.' })
const CompanyInPath = Type.Object({ companyId: CompanyId })
const CompanyUserInPath = Type.Object({ companyId: CompanyId, email: EmailInPath })

const ofCompany = {
  method: 'GET',
  tag: 'companies',
  access: 'COMPANY_USERS_READ',
  params: CompanyInPath,
} as const

export const listCompanyUsers = defineRoute({
  ...ofCompany,
  operationId: 'listCompanyUsers',
  path: '/companies/:companyId/users',
  summary: 'Everybody in the company: active, invited and revoked.',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(User) },
  errors: ['company_not_found'],
})

export const pageCompanyUsers = defineRoute({
  ...ofCompany,
  operationId: 'pageCompanyUsers',
  path: '/companies/:companyId/users/paged',
  summary: 'Everybody in the company by address, a page at a time.',
  query: PagedQuery,
  success: { status: 200, schema: pageOf(User) },
  errors: ['company_not_found', 'invalid_body'],
})

export const pageCompanyUsersByState = defineRoute({
  ...ofCompany,
  operationId: 'pageCompanyUsersByState',
  path: '/companies/:companyId/users/:state/paged',
  summary: 'The active, invited or revoked users of the company, a page at a time.',
  params: Type.Object({ companyId: CompanyId, state: Type.Enum(['active', 'invited', 'revoked']) }),
  query: PagedQuery,
  success: { status: 200, schema: pageOf(User) },
  errors: ['company_not_found', 'invalid_body'],
})

export const setCompanyRoles = defineRoute({
  operationId: 'setCompanyRoles',
  audit: 'user.roles',
  method: 'PUT',
  path: '/companies/:companyId/users/:email',
  tag: 'companies',
  summary: 'Give a user these roles in the company instead of the present ones.',
  access: 'COMPANY_USERS_WRITE',
  query: TeamQuery,
  params: CompanyUserInPath,
  body: Type.Object({ roles: CompanyRoles }),
  success: { status: 200, schema: User },
  errors: ['company_not_found', 'user_not_found', 'invalid_body', 'malformed_json', 'last_owner'],
})

export const revokeUser = defineRoute({
  operationId: 'revokeUser',
  audit: 'user.revoke',
  method: 'DELETE',
  path: '/companies/:companyId/users/:email/active',
  tag: 'companies',
  summary: 'End the access of a user to the company with their next request.',
  access: 'COMPANY_USERS_REVOKE',
  query: TeamQuery,
  params: CompanyUserInPath,
  success,
  errors: ['company_not_found', 'user_not_found', 'last_owner'],
})

export const reactivateUser = defineRoute({
  operationId: 'reactivateUser',
  audit: 'user.reactivate',
  method: 'POST',
  path: '/companies/:companyId/users/:email/active',
  tag: 'companies',
  summary: 'Give a revoked user the access back. They sign in anew.',
  access: 'COMPANY_USERS_REVOKE',
  query: TeamQuery,
  params: CompanyUserInPath,
  success,
  errors: ['company_not_found', 'user_not_found'],
})
