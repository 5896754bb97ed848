import { Type, type Static } from 'typebox'
import { stages } from '../stages.ts'
import { Attack, Execution } from './records.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'

/** `data` of a server-sent event named `execution`: a move, and the records as they are now. */
export const ExecutionEvent = Type.Object(
  {
    attack_id: Type.String({ format: 'uuid' }),
    execution_id: Type.String({ format: 'uuid' }),
    stage: Type.Enum([...stages]),
    attack: Attack,
    execution: Execution,
  },
  { title: 'ExecutionEvent' },
)
export type ExecutionEvent = Static<typeof ExecutionEvent>

const Stream = Type.String({
  description:
    'Server-sent events. `event: execution` with an ExecutionEvent as `data`; `id` resumes by ' +
    '`Last-Event-ID`. The events of one attack end with `event: end` when it is over.',
})
const ResumeHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ pattern: '^[0-9]{1,20}-[0-9]{1,20}$', description: 'The last event received.' }),
  ),
})

export const watchAttack = defineRoute({
  operationId: 'watchAttack',
  method: 'GET',
  path: '/attacks/:guid/events',
  tag: 'events',
  summary: 'How the executions of an attack move, as it happens, from where they stand.',
  access: 'EXPERIMENTS_READ',
  query: TeamQuery,
  headers: ResumeHeaders,
  params: Type.Object({ guid: Type.String() }),
  success: { status: 200, schema: Stream, mediaType: 'text/event-stream' },
  errors: ['invalid_body', 'attack_not_found'],
})

export const watchTeam = defineRoute({
  operationId: 'watchTeam',
  method: 'GET',
  path: '/events',
  tag: 'events',
  summary: 'How the executions of all attacks of the team move, from now on.',
  access: 'EXPERIMENTS_READ',
  query: TeamQuery,
  headers: ResumeHeaders,
  success: { status: 200, schema: Stream, mediaType: 'text/event-stream' },
  errors: ['invalid_body'],
})
