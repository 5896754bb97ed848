import { Type, type Static } from 'typebox'
import { Effect } from '../effect.ts'
import { stageLifecycles, stages } from '../stages.ts'
import { Nullable } from './nullable.ts'
import { Timestamp } from './timestamp.ts'

const StageName = Type.Enum([...stages], { title: 'Stage' })
const Lifecycle = Type.Enum([...stageLifecycles], {
  description: '`Complete` and `Error` mean finished.',
})
/** A key with the values of which one must be carried. */
const MultiSelect = Type.Record(Type.String(), Type.Array(Type.String()))
const AnyMap = Type.Record(Type.String(), Type.Unknown())

/** What somebody noted on an attack. */
export const Annotations = Type.Object(
  { otherAnnotations: AnyMap, notes: Type.String(), metrics: AnyMap },
  { title: 'Annotations' },
)

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
    target: Type.Object(
      {
        type: Type.Enum(['Random', 'Exact']),
        hosts: Type.Object({ ids: Nullable(Type.Array(Type.String())), tags: MultiSelect }),
        containers: Nullable(
          Type.Object({ ids: Nullable(Type.Array(Type.String())), labels: MultiSelect }),
        ),
        draw: Nullable(
          Type.Object({
            of: Type.Enum(['hosts', 'containers']),
            count: Nullable(Type.Integer()),
            percent: Nullable(Type.Number()),
          }),
        ),
      },
      { description: 'What was asked for, in one form whatever form it came in.' },
    ),
    targets: Type.Array(Type.String(), { description: 'The hosts that were chosen.' }),
    target_containers: Type.Record(Type.String(), Type.Array(Type.String())),
    targets_without_container: Type.Array(Type.String(), {
      description: 'Hosts named in Exact on which no container carries the labels.',
    }),
    total_clients: Type.Integer(),
    start_time: Timestamp,
    end_time: Nullable(Timestamp),
    halted_by: Nullable(Type.String()),
    halt_reason: Nullable(Type.String()),
    halt_reference: Nullable(Type.String({ description: 'For example the address of a ticket.' })),
    annotations: Nullable(Annotations),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Attack' },
)
export type Attack = Static<typeof Attack>
