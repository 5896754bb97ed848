import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'

/** Whether anybody may start attacks in the company now. */
export const AttackBlock = Type.Object({
  blocked: Type.Boolean(),
  since: Nullable(Type.String({ description: 'ISO 8601.' })),
  by: Nullable(Type.String({ description: 'The address of whoever blocked them.' })),
  reason: Nullable(Type.String()),
})
export type AttackBlock = Static<typeof AttackBlock>

const path = '/attacks/block'
const success = { status: 200, schema: AttackBlock } as const

export const readAttackBlock = defineRoute({
  operationId: 'readAttackBlock',
  method: 'GET',
  path,
  tag: 'halts',
  summary:
    'Whether new attacks are blocked in the company of the session, since when, by whom and why.',
  access: ['EXPERIMENTS_READ', 'HALT_ALL'],
  success,
  errors: [],
})

export const blockAttacks = defineRoute({
  operationId: 'blockAttacks',
  audit: 'attack.block',
  method: 'POST',
  path,
  tag: 'halts',
  summary:
    'Block new attacks in all teams of the company until it is lifted. What runs goes on: halt it with POST /halts afterwards.',
  access: 'HALT_ALL',
  body: Type.Union([
    Type.Object({ reason: Type.Optional(Nullable(Type.String({ maxLength: 1_000 }))) }),
    Type.Null(),
  ]),
  bodyOptional: true,
  success,
  errors: ['malformed_json', 'invalid_body'],
})

export const unblockAttacks = defineRoute({
  operationId: 'unblockAttacks',
  audit: 'attack.unblock',
  method: 'DELETE',
  path,
  tag: 'halts',
  summary: 'Let new attacks be started again.',
  access: 'HALT_ALL',
  success,
  errors: [],
})
