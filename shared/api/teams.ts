import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { PageQuery, pageOf } from './page.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'
import { Timestamp } from './timestamp.ts'

const Uuid = Type.String({ format: 'uuid' })
const Name = Type.String({
  maxLength: 100,
  description: '1 to 100 characters, none of | ; , and unlike any other team of the company.',
})

/** A team of a company. */
export const Team = Type.Object(
  {
    identifier: Uuid,
    companyId: Uuid,
    name: Type.String(),
    state: Type.Literal('ACTIVE'),
    secretSetAt: Timestamp,
    secretSetBy: Nullable(Type.String({ description: 'Null while it is the first secret.' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Team' },
)
export type Team = Static<typeof Team>

export const listTeams = defineRoute({
  operationId: 'listTeams',
  method: 'GET',
  path: '/teams',
  tag: 'teams',
  summary: 'The teams of the company, the oldest first.',
  access: 'TEAMS_READ',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(Team) },
  errors: [],
})

export const pageTeams = defineRoute({
  operationId: 'pageTeams',
  method: 'GET',
  path: '/teams/paged',
  tag: 'teams',
  summary: 'The teams of the company by id, a page at a time.',
  access: 'TEAMS_READ',
  query: Type.Object({ ...TeamQuery.properties, ...PageQuery.properties }),
  success: { status: 200, schema: pageOf(Team) },
  errors: ['invalid_body'],
})

/** `:team` in a path. */
const TeamInPath = Type.Object({ team: Type.String({ description: 'Id or name of a team.' }) })

export const readTeam = defineRoute({
  operationId: 'readTeam',
  method: 'GET',
  path: '/teams/:team',
  tag: 'teams',
  summary: 'One team, by id or name.',
  access: 'TEAMS_READ',
  query: TeamQuery,
  params: TeamInPath,
  success: { status: 200, schema: Team },
  errors: ['team_not_found'],
})

export const updateTeam = defineRoute({
  operationId: 'updateTeam',
  audit: 'team.update',
  method: 'PATCH',
  path: '/teams/:team',
  tag: 'teams',
  summary: 'Rename a team. Hosts and sessions stay: they know it by its id.',
  access: ['TEAMS_WRITE', 'COMPANIES_WRITE'],
  query: TeamQuery,
  params: TeamInPath,
  body: Type.Object({ name: Name }),
  success: { status: 200, schema: Team },
  errors: ['team_not_found', 'invalid_body', 'malformed_json', 'name_taken'],
})

export const deleteTeam = defineRoute({
  operationId: 'deleteTeam',
  audit: 'team.delete',
  method: 'DELETE',
  path: '/teams/:team',
  tag: 'teams',
  summary: 'Delete a team: its attacks are halted, its hosts cut off, its sessions end.',
  access: 'COMPANIES_WRITE',
  query: TeamQuery,
  params: TeamInPath,
  success: { status: 200, schema: Team },
  errors: ['team_not_found'],
})

/** A team as older clients know it: an organisation. */
export const Org = Type.Object(
  {
    identifier: Uuid,
    company_id: Uuid,
    name: Type.String(),
    active: Type.Literal(true),
    idle: Type.Literal(false),
    auto_add_users: Type.Literal(false),
    certificate_expiration_imminent: Type.Literal(false),
    certificate_expires_on: Type.Null({ description: 'Each host has a certificate of its own.' }),
    certificate_set_at: Type.Null(),
    certificate_set_by: Type.Null(),
    secret_set_at: Timestamp,
    secret_set_by: Nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Org', description: 'A team, as older clients know it.' },
)
export type Org = Static<typeof Org>

export const listOrgs = defineRoute({
  operationId: 'listOrgs',
  method: 'GET',
  path: '/orgs',
  tag: 'orgs',
  summary: 'The teams of the company, in the older shape.',
  access: 'TEAMS_READ',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(Org) },
  errors: [],
})

export const readOrg = defineRoute({
  operationId: 'readOrg',
  method: 'GET',
  path: '/orgs/:team',
  tag: 'orgs',
  summary: 'One team, by id or name, in the older shape.',
  access: 'TEAMS_READ',
  query: TeamQuery,
  params: TeamInPath,
  success: { status: 200, schema: Org },
  errors: ['team_not_found'],
})

export const createOrg = defineRoute({
  operationId: 'createOrg',
  audit: 'team.create',
  method: 'POST',
  path: '/orgs',
  tag: 'orgs',
  summary: 'Make a team. With `addUser=true` whoever makes it becomes a user of it.',
  access: 'COMPANIES_WRITE',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  query: Type.Object({
    ...TeamQuery.properties,
    addUser: Type.Optional(Type.String({ pattern: '^([Tt]rue|[Ff]alse|)$' })),
  }),
  body: Type.Object({ name: Name }),
  success: {
    status: 200,
    schema: Type.Object({
      org_id: Uuid,
      identifier: Uuid,
      name: Type.String(),
      has_secret: Type.Literal(true),
      pem_encoded_certificate: Type.Null({
        description: 'Each host gets a certificate of its own when it joins.',
      }),
      pem_encoded_private_key: Type.Null(),
    }),
  },
  errors: ['invalid_body', 'malformed_json', 'name_taken'],
})

export const resetTeamSecret = defineRoute({
  operationId: 'resetTeamSecret',
  audit: 'team.secret',
  method: 'POST',
  path: '/teams/:team/secret/reset',
  tag: 'teams',
  summary: 'Give a team a new secret. The old one joins no host any more; those that joined stay.',
  access: 'TEAM_SECURITY_WRITE',
  query: TeamQuery,
  params: TeamInPath,
  success: {
    status: 200,
    schema: Type.Object({ identifier: Uuid, secret: Type.String() }),
  },
  errors: ['team_not_found'],
})

export const resetOrgSecret = defineRoute({
  operationId: 'resetOrgSecret',
  audit: 'team.secret',
  method: 'POST',
  path: '/orgs/auth/secret/reset',
  tag: 'orgs',
  summary: 'The same for older clients; without an identifier for the team of the session.',
  access: 'TEAM_SECURITY_WRITE',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  query: TeamQuery,
  body: Nullable(Type.Object({ identifier: Type.Optional(Type.String({ maxLength: 100 })) })),
  bodyOptional: true,
  success: resetTeamSecret.success,
  errors: ['team_not_found', 'invalid_body', 'malformed_json'],
})

/** What an agent needs to join: the content of `/etc/temblor/agent.json`, which is YAML as well. */
const AgentSettings = Type.Object(
  {
    TEMBLOR_JOIN: Type.String({ description: 'The join line. It holds the secret of the team.' }),
  },
  { title: 'AgentSettings' },
)

export const readTeamInstall = defineRoute({
  operationId: 'readTeamInstall',
  audit: 'team.secret',
  method: 'GET',
  path: '/teams/:team/client/install',
  tag: 'teams',
  summary: 'The settings with which an agent joins the team, for /etc/temblor/agent.json.',
  access: 'TEAM_SECURITY_READ',
  query: TeamQuery,
  params: TeamInPath,
  success: { status: 200, schema: AgentSettings },
  errors: ['team_not_found'],
})

export const readClientInstall = defineRoute({
  operationId: 'readClientInstall',
  audit: 'team.secret',
  method: 'GET',
  path: '/teams/client/install',
  tag: 'teams',
  summary: 'The same for the team of the session.',
  access: 'TEAM_SECURITY_READ',
  query: TeamQuery,
  success: readTeamInstall.success,
  errors: [],
})
