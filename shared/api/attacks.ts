import { Type, type Static } from 'typebox'
import { LabelsBody, TargetBody } from '../targets.ts'
import { Nullable } from './nullable.ts'
import { PageQuery, pageOf } from './page.ts'
import { Attack } from './records.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'

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

const AttackId = Type.Object({ guid: Type.String({ description: 'The id of the attack.' }) })

/** Query of the lists: which, and how many at most. */
const ListQuery = Type.Object({
  ...TeamQuery.properties,
  source: Type.Optional(
    Type.String({ description: '`Adhoc` or `Scenario`, in any case; without it all.' }),
  ),
  pageSize: PageQuery.properties.pageSize,
})

const Moment = Type.String({
  description: 'ISO 8601 time, or epoch milliseconds.',
  examples: ['2026-11-20T00:00:00.000Z'],
})

/** One request looks at so many attacks at most. */
export const lookLimit = 1_000

/** Query of the lists by page: what is wanted of them. Empty is as not given. */
const PagedQuery = Type.Object({
  ...ListQuery.properties,
  ...PageQuery.properties,
  startTime: Type.Optional(Moment),
  endTime: Type.Optional(Moment),
  type: Type.Optional(
    Type.String({ maxLength: 100, description: 'Of this attack type.', examples: ['cpu'] }),
  ),
  stage: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'In this stage, or in one of several with commas in between.',
      examples: ['Failed,LostCommunication'],
    }),
  ),
  user: Type.Optional(
    Type.String({ maxLength: 254, description: 'Started by this user, in any case.' }),
  ),
  host: Type.Optional(
    Type.String({ maxLength: 255, description: 'With this host among its targets.' }),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'With this text in a host, container id, user, type, argument or the id, in any case.',
    }),
  ),
})

/** What all lists of attacks have in common: the newest 1,000 at once, or page by page. */
const listing = {
  method: 'GET',
  tag: 'attacks',
  access: 'EXPERIMENTS_READ',
  errors: ['invalid_body'],
} as const
const whole = {
  ...listing,
  query: ListQuery,
  success: { status: 200, schema: Type.Array(Attack) },
} as const
const byPage = {
  ...listing,
  query: PagedQuery,
  success: { status: 200, schema: pageOf(Attack) },
} as const
export type AttackPageQuery = Static<typeof PagedQuery>

const requestErrors = [
  'malformed_json',
  'invalid_body',
  'invalid_argument',
  'unknown_attack_type',
  'invalid_target',
  'not_supported',
] as const

export const createAttack = defineRoute({
  operationId: 'createAttack',
  audit: 'attack.create',
  method: 'POST',
  path: '/attacks/new',
  tag: 'attacks',
  summary: 'Run an attack. Answers its id as plain text once it is on disk.',
  access: 'EXPERIMENTS_RUN',
  query: TeamQuery,
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'For 24 hours the same key with the same body answers the same id and starts nothing.',
      }),
    ),
  }),
  body: CreateAttackBody,
  success: { status: 201, schema: Type.String({ format: 'uuid' }), mediaType: 'text/plain' },
  errors: [
    ...requestErrors,
    'target_not_found',
    'controller_host',
    'idempotency_conflict',
    'attacks_blocked',
    'attack_withdrawn',
  ],
})

const PreviewTarget = Type.Object({
  client_id: Type.String(),
  guest_id: Nullable(Type.String()),
  guest_name: Nullable(Type.String()),
  cannot: Nullable(
    Type.String({ description: 'Why its agent could not do it, or what its owner forbids.' }),
  ),
})

/** What an attack would do, without doing it. */
export const AttackPreview = Type.Object(
  {
    command_type: Type.String(),
    length_seconds: Type.Integer(),
    params: Type.Record(
      Type.String(),
      Type.Union([Type.Number(), Type.Boolean(), Type.Array(Type.String())]),
    ),
    would_start: Type.Boolean({ description: 'Whether the attack would be accepted now.' }),
    problem: Nullable(Type.String({ description: 'Why it would not.' })),
    drawn: Nullable(
      Type.Object(
        { count: Type.Integer(), of: Type.Integer(), unit: Type.Enum(['hosts', 'containers']) },
        { description: 'So many of these are drawn, each with the same chance; null hits all.' },
      ),
    ),
    would_hit: Type.Array(PreviewTarget, { description: 'Whom it hits, or among whom it draws.' }),
    would_not_hit: Type.Array(
      Type.Object({
        client_id: Type.String(),
        guest_id: Nullable(Type.String()),
        reason: Type.Enum(['revoked', 'silent', 'tags', 'controller', 'no_container', 'protected']),
        explanation: Type.String(),
      }),
    ),
    warnings: Type.Array(Type.String(), { description: 'What to know before saying yes.' }),
    missing: Type.Array(Type.String(), { description: 'Named in the target, and not there.' }),
  },
  { title: 'AttackPreview' },
)
export type AttackPreview = Static<typeof AttackPreview>

export const previewAttack = defineRoute({
  operationId: 'previewAttack',
  audit: false,
  method: 'POST',
  path: '/attacks/preview',
  tag: 'attacks',
  summary: 'Who would be hit by this request, who not and why. Touches nothing.',
  access: 'EXPERIMENTS_READ',
  query: TeamQuery,
  body: CreateAttackBody,
  success: { status: 200, schema: AttackPreview },
  errors: requestErrors,
})

export const listAttacks = defineRoute({
  operationId: 'listAttacks',
  path: '/attacks',
  summary: 'The attacks of the team, the newest first, at most 1,000.',
  ...whole,
})

export const listActiveAttacks = defineRoute({
  operationId: 'listActiveAttacks',
  path: '/attacks/active',
  summary: 'The attacks that are not over, the newest first, at most 1,000.',
  ...whole,
})

export const listCompletedAttacks = defineRoute({
  operationId: 'listCompletedAttacks',
  path: '/attacks/completed',
  summary: 'The attacks that are over, the newest first, at most 1,000.',
  ...whole,
})

export const pageAttacks = defineRoute({
  operationId: 'pageAttacks',
  path: '/attacks/paged',
  summary: 'The attacks of the team, page by page, the newest first.',
  ...byPage,
})

export const pageActiveAttacks = defineRoute({
  operationId: 'pageActiveAttacks',
  path: '/attacks/active/paged',
  summary: 'The attacks that are not over, page by page.',
  ...byPage,
})

export const pageCompletedAttacks = defineRoute({
  operationId: 'pageCompletedAttacks',
  path: '/attacks/completed/paged',
  summary: 'The attacks that are over, page by page.',
  ...byPage,
})

export const rangeAttacks = defineRoute({
  operationId: 'rangeAttacks',
  path: '/attacks/range',
  summary: 'The attacks created between two times, page by page, the newest first.',
  ...byPage,
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

const AnyMap = Type.Record(Type.String(), Type.Unknown())

export const annotateAttack = defineRoute({
  operationId: 'annotateAttack',
  audit: 'attack.annotate',
  method: 'PUT',
  path: '/attacks/:guid/annotations',
  tag: 'attacks',
  summary: 'Note something on an attack. A part that is not passed stays.',
  access: 'EXPERIMENTS_RUN',
  query: TeamQuery,
  params: AttackId,
  body: Type.Object({
    otherAnnotations: Type.Optional(Nullable(AnyMap)),
    notes: Type.Optional(Nullable(Type.String({ maxLength: 20_000 }))),
    metrics: Type.Optional(Nullable(AnyMap)),
  }),
  success: { status: 200, schema: Attack },
  errors: ['malformed_json', 'invalid_body', 'attack_not_found'],
})
