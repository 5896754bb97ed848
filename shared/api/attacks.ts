import { Type, type Static } from 'typebox'
import { Effect } from '../effect.ts'
import { stageLifecycles, stages } from '../stages.ts'
import { LabelsBody, TargetBody } from '../targets.ts'
import { defineRoute } from './route.ts'
import { Timestamp } from './timestamp.ts'

const StageName = Type.Enum([...stages], { title: 'Stage' })
const Lifecycle = Type.Enum([...stageLifecycles], {
  description: '`Complete` and `Error` mean finished.',
})
const StringMap = Type.Record(Type.String(), Type.String())
const Nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()])

/** Query of every route that a company's session may aim at one team. */
const TeamQuery = Type.Object({
  teamId: Type.Optional(Type.String({ description: 'Must be the team of the session.' })),
})

export const CreateAttackBody = Type.Object(
  {
    command: Type.Object(
      {
        type: Type.String({ description: 'The attack type, for example `cpu`.' }),
        args: Type.Optional(
          Type.Union([Type.Array(Type.String(), { maxItems: 1000 }), Type.Null()], {
            description: 'Flags as on the command line; each flag and each value an element.',
          }),
        ),
      },
      { additionalProperties: true },
    ),
    target: TargetBody,
    labels: Type.Optional(LabelsBody),
  },
  {
    title: 'AttackRequest',
    additionalProperties: true,
    examples: [
      {
        command: { type: 'cpu', args: ['-l', '60', '-p', '50'] },
        target: { type: 'Random' },
        labels: { app: 'web' },
      },
    ],
  },
)
export type CreateAttackBody = Static<typeof CreateAttackBody>

/** One target of an attack: a host, or one container on it. */
export const Execution = Type.Object(
  {
    guid: Type.String({ format: 'uuid' }),
    org_id: Type.String({ format: 'uuid' }),
    task_id: Type.String({ format: 'uuid', description: 'The attack.' }),
    target_type: Type.Enum(['Host', 'Container']),
    client_id: Type.String({ description: 'The host.' }),
    guest_id: Nullable(Type.String({ description: 'The container id.' })),
    guest_name: Nullable(Type.String({ description: 'The container name.' })),
    stage: StageName,
    stage_lifecycle: Lifecycle,
    service_states: Type.Array(Type.Object({ stage: StageName, timestamp: Timestamp })),
    client_states: Type.Array(Type.Object({ stage: StageName, timestamp: Timestamp }), {
      description: 'When the agent says each stage was reached.',
    }),
    start_time: Timestamp,
    end_time: Nullable(Timestamp),
    command_type: Type.String(),
    args: Type.Array(Type.String()),
    requested: Nullable(Effect),
    measured: Nullable(Effect),
    backend: Nullable(Type.String({ description: 'The mechanism that carried the fault.' })),
    reason: Nullable(Type.String({ description: 'Why it ended, as a stable name.' })),
    output: Type.String({ description: 'Why it ended and what happened, for people.' }),
    client_version: Nullable(Type.String()),
    create_source: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Execution' },
)
export type Execution = Static<typeof Execution>

export const Attack = Type.Object(
  {
    guid: Type.String({ format: 'uuid' }),
    org_id: Type.String({ format: 'uuid' }),
    owning_team_id: Type.String({ format: 'uuid' }),
    stage: StageName,
    stage_lifecycle: Lifecycle,
    execution_stage_summary: Type.Record(Type.String(), Type.Integer()),
    create_source: Type.String(),
    create_user: Type.String(),
    kind: Type.String(),
    command_type: Type.String(),
    args: Type.Array(Type.String()),
    length_seconds: Type.Integer(),
    target_type: Type.Enum(['Host', 'Container']),
    target: Type.Object({
      type: Type.Enum(['Random', 'Exact']),
      tags: StringMap,
      exact: Type.Array(Type.String()),
      labels: StringMap,
    }),
    targets: Type.Array(Type.String(), { description: 'The hosts that were chosen.' }),
    target_containers: Type.Record(Type.String(), Type.Array(Type.String())),
    targets_without_container: Type.Array(Type.String(), {
      description: 'Hosts named in Exact on which no container carries the labels.',
    }),
    total_clients: Type.Integer(),
    start_time: Timestamp,
    end_time: Nullable(Timestamp),
    halted_by: Nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Attack' },
)
export type Attack = Static<typeof Attack>

const AttackId = Type.Object({ guid: Type.String({ description: 'The id of the attack.' }) })

export const createAttack = defineRoute({
  operationId: 'createAttack',
  method: 'POST',
  path: '/attacks/new',
  tag: 'attacks',
  summary: 'Run an attack. Answers its id as plain text once it is on disk.',
  access: 'EXPERIMENTS_RUN',
  query: TeamQuery,
  body: CreateAttackBody,
  success: { status: 201, schema: Type.String({ format: 'uuid' }), mediaType: 'text/plain' },
  errors: [
    'malformed_json',
    'invalid_body',
    'invalid_argument',
    'unknown_attack_type',
    'invalid_target',
    'target_not_found',
    'not_supported',
  ],
})

export const listAttacks = defineRoute({
  operationId: 'listAttacks',
  method: 'GET',
  path: '/attacks',
  tag: 'attacks',
  summary: 'The attacks of the team, the newest first, at most 1,000.',
  access: 'EXPERIMENTS_READ',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(Attack) },
  errors: [],
})

export const readAttack = defineRoute({
  operationId: 'readAttack',
  method: 'GET',
  path: '/attacks/:guid',
  tag: 'attacks',
  summary: 'One attack.',
  access: 'EXPERIMENTS_READ',
  query: TeamQuery,
  params: AttackId,
  success: { status: 200, schema: Attack },
  errors: ['attack_not_found'],
})

export const haltAttack = defineRoute({
  operationId: 'haltAttack',
  method: 'DELETE',
  path: '/attacks/:guid',
  tag: 'attacks',
  summary: 'Halt an attack. Repeating it changes nothing; an attack that is over stays as it is.',
  access: 'HALT_WRITE',
  query: TeamQuery,
  params: AttackId,
  success: { status: 202, schema: Type.Array(Attack) },
  errors: ['attack_not_found'],
  rateLimit: false,
})

export const listExecutions = defineRoute({
  operationId: 'listExecutions',
  method: 'GET',
  path: '/executions',
  tag: 'executions',
  summary: 'The executions of one attack: a row for each host or container.',
  access: 'EXPERIMENTS_READ',
  query: Type.Object({
    taskId: Type.String({ description: 'The id of the attack.' }),
    teamId: Type.Optional(Type.String()),
  }),
  success: { status: 200, schema: Type.Array(Execution) },
  errors: ['invalid_body', 'attack_not_found'],
})
