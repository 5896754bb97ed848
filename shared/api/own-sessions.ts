import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'
import { Timestamp } from './timestamp.ts'

/** A session as its user sees it among the others; nothing in it opens anything. */
export const SessionEntry = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    current: Type.Boolean({ description: 'The one that the request is made with.' }),
    method: Type.Enum(['password', 'saml', 'oauth', 'google'], { description: 'How it began.' }),
    second_factor: Type.Boolean({ description: 'A code was shown besides the password.' }),
    org_id: Nullable(
      Type.String({ format: 'uuid', description: 'The team it is for; null for all of the user.' }),
    ),
    created_at: Nullable(
      Type.String({ format: 'date-time', description: 'null: it began under an older version.' }),
    ),
    last_used_at: Nullable(
      Type.String({ format: 'date-time', description: 'Within a minute; null as above.' }),
    ),
    expires_at: Timestamp,
    ends_at: Type.String({
      format: 'date-time',
      description: 'Until then it may be renewed; no session is longer.',
    }),
    address: Nullable(Type.String({ description: 'From where it was begun.' })),
    user_agent: Nullable(Type.String({ description: 'With what, as that says itself.' })),
  },
  { title: 'SessionEntry' },
)
export type SessionEntry = Static<typeof SessionEntry>

/** Of so many sessions, the last begun, a list tells. */
export const listedSessionsLimit = 200

const success = { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' } as const
const common = { tag: 'users', access: 'MINIMUM_COMPANY_PRIVILEGES' } as const

export const listSessions = defineRoute({
  ...common,
  operationId: 'listSessions',
  method: 'GET',
  path: '/users/self/sessions',
  summary: `The own sessions in the company that are not over, the newest first (${listedSessionsLimit} at most).`,
  success: { status: 200, schema: Type.Array(SessionEntry) },
  errors: [],
})

export const endSession = defineRoute({
  ...common,
  operationId: 'endSession',
  audit: 'session.end',
  method: 'DELETE',
  path: '/users/self/sessions/:sessionId',
  summary:
    'End an own session in the company; it is refused from its next request on, and cannot be renewed.',
  params: Type.Object({ sessionId: Type.String({ minLength: 1, maxLength: 100 }) }),
  success,
  errors: ['session_not_found'],
})

export const endOtherSessions = defineRoute({
  ...common,
  operationId: 'endOtherSessions',
  audit: 'session.end',
  method: 'DELETE',
  path: '/users/self/sessions',
  summary: 'End all own sessions in the company but the one that the request is made with.',
  success,
  errors: [],
})
