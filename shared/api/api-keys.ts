import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'
import { Timestamp } from './timestamp.ts'

/** A key of the API, without what it is: that is shown once, when it is made. */
export const ApiKey = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    identifier: Type.String({ description: 'The name that its owner gave it.' }),
    description: Nullable(Type.String()),
    state: Type.Enum(['ACTIVE', 'IDLE', 'REVOKED'], { description: 'IDLE when it has expired.' }),
    created_at: Timestamp,
    created_by: Type.String({ description: 'Email address of its owner.' }),
    expires_at: Nullable(Timestamp),
    revoked_by: Nullable(Type.String()),
    last_used_at: Nullable(Timestamp),
    company_id: Type.String({ format: 'uuid' }),
    org_id: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The team it works in unless `teamId` names another; null for the oldest.',
      }),
    ),
  },
  { title: 'ApiKey' },
)
export type ApiKey = Static<typeof ApiKey>

const KeyParams = Type.Object({
  keyId: Type.String({ minLength: 1, maxLength: 100, description: 'Id, or name of an own key.' }),
})
const success = {
  status: 200,
  schema: Type.Literal('Success'),
  mediaType: 'text/plain',
} as const
const tag = 'apikeys'

/** Keys that one user may have in use at once. */
export const activeKeyLimit = 5

export const createApiKey = defineRoute({
  operationId: 'createApiKey',
  audit: 'key.create',
  method: 'POST',
  path: '/apikeys',
  tag,
  summary: `Make a key that does what its owner may do; it is shown only here. At most ${activeKeyLimit} are active.`,
  access: 'API_KEYS_WRITE',
  body: Type.Object({
    identifier: Type.String({ minLength: 1, maxLength: 100, pattern: '^[a-zA-Z0-9 -]*$' }),
    description: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
    expiresAt: Type.Optional(
      Nullable(Type.String({ format: 'date-time', description: 'When it ceases to work.' })),
    ),
    teamId: Type.Optional(
      Nullable(Type.String({ maxLength: 100, description: 'Id or name of the team it works in.' })),
    ),
  }),
  success: {
    status: 201,
    schema: Type.String({ description: '64 hex digits, to send as `Authorization: Key …`.' }),
    mediaType: 'text/plain',
  },
  errors: ['invalid_body', 'malformed_json', 'method_disabled', 'too_many_keys'],
})

export const listApiKeys = defineRoute({
  operationId: 'listApiKeys',
  method: 'GET',
  path: '/apikeys',
  tag,
  summary: 'All own keys.',
  access: 'API_KEYS_READ',
  success: { status: 200, schema: Type.Array(ApiKey) },
  errors: [],
})

export const listActiveApiKeys = defineRoute({
  operationId: 'listActiveApiKeys',
  method: 'GET',
  path: '/apikeys/active',
  tag,
  summary: 'The own keys that work now.',
  access: 'API_KEYS_READ',
  success: { status: 200, schema: Type.Array(ApiKey) },
  errors: [],
})

export const listCompanyApiKeys = defineRoute({
  operationId: 'listCompanyApiKeys',
  method: 'GET',
  path: '/apikeys/all-for-company',
  tag,
  summary: 'The keys of everybody in the company.',
  access: 'ALL_API_KEYS_READ',
  success: { status: 200, schema: Type.Array(ApiKey) },
  errors: [],
})

export const revokeApiKey = defineRoute({
  operationId: 'revokeApiKey',
  audit: 'key.revoke',
  method: 'DELETE',
  path: '/apikeys/:keyId',
  tag,
  summary: 'Revoke an own key; it does not work from the next request on.',
  access: 'API_KEYS_WRITE',
  params: KeyParams,
  success,
  errors: ['key_not_found'],
})

export const activateApiKey = defineRoute({
  operationId: 'activateApiKey',
  audit: 'key.reinstate',
  method: 'PUT',
  path: '/apikeys/:keyId/activate',
  tag,
  summary: 'Reinstate a key that was revoked.',
  access: 'API_KEYS_WRITE',
  params: KeyParams,
  success,
  errors: ['key_not_found', 'method_disabled', 'too_many_keys'],
})

export const setApiKeyExpiration = defineRoute({
  operationId: 'setApiKeyExpiration',
  audit: 'key.expire',
  method: 'PUT',
  path: '/apikeys/:keyId/expiration',
  tag,
  summary: 'Change when a key expires; without `expiresAt` it never does.',
  access: 'API_KEYS_WRITE',
  params: KeyParams,
  query: Type.Object({ expiresAt: Type.Optional(Type.String({ maxLength: 40 })) }),
  success,
  errors: ['invalid_body', 'key_not_found', 'too_many_keys'],
})

export const revokeUsersApiKey = defineRoute({
  operationId: 'revokeUsersApiKey',
  audit: 'key.revoke',
  method: 'DELETE',
  path: '/companies/:companyId/users/:email/api-key/:keyId',
  tag,
  summary: 'Revoke a key of somebody else in the company.',
  access: 'COMPANY_USERS_WRITE',
  params: Type.Object({
    companyId: Type.String({ maxLength: 100 }),
    email: Type.String({ maxLength: 254 }),
    keyId: Type.String({ minLength: 1, maxLength: 100 }),
  }),
  success,
  errors: ['key_not_found'],
})
