import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'

const StringMap = Type.Record(Type.String(), Type.String())
const MultiSelect = Type.Record(Type.String(), Type.Array(Type.String()))

/** A running container and the host it is on. */
export const Container = Type.Object(
  {
    identifier: Type.String({ description: 'The container id.' }),
    name: Type.String(),
    image: Type.String(),
    state: Type.Enum(['running', 'paused']),
    client_id: Type.String({ description: 'The host.' }),
    org_id: Type.String({ format: 'uuid' }),
    container_labels: StringMap,
    protected: Type.Boolean(),
  },
  { title: 'Container' },
)
export type Container = Static<typeof Container>

export const listContainers = defineRoute({
  operationId: 'listContainers',
  method: 'GET',
  path: '/containers',
  tag: 'containers',
  summary: 'The running containers on the active hosts of the team.',
  access: 'CLIENTS_READ',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(Container) },
  errors: [],
})

export const readContainer = defineRoute({
  operationId: 'readContainer',
  method: 'GET',
  path: '/containers/:identifier',
  tag: 'containers',
  summary: 'One running container.',
  access: 'CLIENTS_READ',
  query: TeamQuery,
  params: Type.Object({ identifier: Type.String() }),
  success: { status: 200, schema: Container },
  errors: ['container_not_found'],
})

export const listContainerLabels = defineRoute({
  operationId: 'listContainerLabels',
  method: 'GET',
  path: '/containers/labels',
  tag: 'containers',
  summary: 'The keys of all labels of running containers.',
  access: 'CLIENTS_READ',
  query: TeamQuery,
  success: { status: 200, schema: Type.Object({ labelKeys: Type.Array(Type.String()) }) },
  errors: [],
})

export const matchContainers = defineRoute({
  operationId: 'matchContainers',
  audit: false,
  method: 'POST',
  path: '/containers/match',
  tag: 'containers',
  summary: 'Which containers a selector means: all, ids, or labels (keys and, values or).',
  access: 'CLIENTS_READ',
  query: TeamQuery,
  body: Type.Object({
    isAll: Type.Optional(Nullable(Type.Boolean())),
    ids: Type.Optional(Nullable(Type.Array(Type.String()))),
    multiSelectLabels: Type.Optional(Nullable(MultiSelect)),
  }),
  success: {
    status: 200,
    schema: Type.Object({
      matchedContainers: Type.Array(
        Type.Object({
          id: Type.String(),
          clientId: Type.String(),
          name: Type.String(),
          labels: StringMap,
        }),
      ),
      totalContainerCount: Type.Integer(),
    }),
  },
  errors: ['malformed_json', 'invalid_body'],
})
