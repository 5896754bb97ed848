import { Type } from 'typebox'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'

const Argument = Type.Object({
  name: Type.String({ description: 'For people, in a few words.' }),
  key: Type.String(),
  long: Type.String(),
  short: Type.String({ description: 'One letter; empty when there is none.' }),
  type: Type.Enum(['Integer', 'Boolean', 'String']),
  multiple: Type.Boolean({
    description: 'Takes a list: repeated or separated by commas, ^ in front spares an item.',
  }),
  required: Type.Boolean(),
  advanced: Type.Boolean(),
  default: Type.Union([Type.Number(), Type.Boolean(), Type.Array(Type.String())]),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  unit: Type.Optional(Type.String()),
  usage: Type.String(),
  info: Type.String({ description: 'What it does and what it accepts.' }),
})

/** An attack type as forms and command lines need it. */
export const AttackMetadata = Type.Object(
  {
    name: Type.String({ description: 'For people.' }),
    command: Type.String({ description: 'The value of command.type.' }),
    type: Type.Enum(['Resource', 'State', 'Network']),
    usage: Type.String(),
    info: Type.String(),
    targets: Type.Array(Type.Enum(['Host', 'Container'])),
    needs: Type.Array(Type.String()),
    privilege: Type.String(),
    conflicts: Type.Array(Type.Array(Type.String()), {
      description: 'Keys of arguments that contradict each other.',
    }),
    args: Type.Array(Argument),
  },
  { title: 'AttackMetadata' },
)

export const readMetadata = defineRoute({
  operationId: 'readMetadata',
  method: 'GET',
  path: '/metadata',
  tag: 'metadata',
  summary: 'Every attack type with its arguments, defaults and limits.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  query: TeamQuery,
  success: { status: 200, schema: Type.Array(AttackMetadata) },
  errors: [],
})
