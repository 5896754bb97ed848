import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'
import { Timestamp } from './timestamp.ts'

const StringMap = Type.Record(Type.String(), Type.String())

const ClientContainer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  image: Type.String(),
  state: Type.Enum(['running', 'paused']),
  labels: StringMap,
  protected: Type.Boolean({ description: 'Its owner forbids touching it.' }),
})

const Capability = Type.Object({
  attack_type: Type.String(),
  targeting: Type.Enum(['Host', 'Container']),
  status: Type.Enum(['SUCCESS', 'ERROR']),
  reason: Nullable(Type.String({ description: 'Why the host cannot do it.' })),
})

const Limits = Type.Object(
  {
    attack_types: Nullable(Type.Array(Type.String())),
    max_length_seconds: Nullable(Type.Integer()),
    max_percent: Nullable(Type.Integer()),
    max_containers: Nullable(Type.Integer()),
    shutdown_forbidden: Type.Boolean(),
  },
  { title: 'Limits', description: 'What the owner of the host allows; null is no limit.' },
)

/** A host with its agent. */
export const Client = Type.Object(
  {
    identifier: Type.String(),
    org_id: Type.String({ format: 'uuid' }),
    state: Type.Enum(['ACTIVE', 'IDLE', 'REVOKED']),
    targetable: Type.Boolean({ description: 'Its agent was heard within the lease.' }),
    last_seen: Timestamp,
    tags: StringMap,
    auth_type: Type.Literal('CERTIFICATE'),
    version: Type.String(),
    instance_id: Type.String(),
    boot_id: Type.String(),
    os_name: Type.String(),
    os_version: Type.String(),
    os_type: Type.String(),
    cpu_cores: Type.Number(),
    memory_bytes: Type.Number(),
    docker_version: Nullable(Type.String()),
    engine_id: Nullable(Type.String()),
    containers: Type.Array(ClientContainer),
    capabilities: Type.Array(Capability),
    limits: Limits,
    running_executions: Type.Array(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Client' },
)
export type Client = Static<typeof Client>

export const listClients = defineRoute({
  operationId: 'listClients',
  method: 'GET',
  path: '/clients',
  tag: 'clients',
  summary: 'The hosts of the team, by state.',
  access: 'CLIENTS_READ',
  query: TeamQuery,
  success: {
    status: 200,
    schema: Type.Object({
      active: Type.Array(Client),
      idle: Type.Array(Client),
      inactive: Type.Array(Client, { description: 'Revoked.' }),
    }),
  },
  errors: [],
})

export const listActiveClients = defineRoute({
  operationId: 'listActiveClients',
  method: 'GET',
  path: '/clients/active',
  tag: 'clients',
  summary: 'The active hosts of the team.',
  access: 'CLIENTS_READ',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(Client) },
  errors: [],
})

const ClientId = Type.Object({ identifier: Type.String() })

export const readClient = defineRoute({
  operationId: 'readClient',
  method: 'GET',
  path: '/clients/:identifier',
  tag: 'clients',
  summary: 'One host.',
  access: 'CLIENTS_READ',
  query: TeamQuery,
  params: ClientId,
  success: { status: 200, schema: Client },
  errors: ['client_not_found'],
})

export const revokeClient = defineRoute({
  operationId: 'revokeClient',
  audit: 'host.revoke',
  method: 'DELETE',
  path: '/clients/:identifier',
  tag: 'clients',
  summary: 'Revoke a host: its agent is cut off at once, and what it runs ends.',
  access: 'CLIENTS_WRITE',
  query: TeamQuery,
  params: ClientId,
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['client_not_found'],
})

export const activateClient = defineRoute({
  operationId: 'activateClient',
  audit: 'host.activate',
  method: 'PUT',
  path: '/clients/:identifier/activate',
  tag: 'clients',
  summary: 'Let a revoked host come back.',
  access: 'CLIENTS_WRITE',
  query: TeamQuery,
  params: ClientId,
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['client_not_found'],
})
