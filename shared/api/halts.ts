import { Type } from 'typebox'
import { Nullable } from './nullable.ts'
import { Attack } from './records.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'

const HaltBody = Type.Union([
  Type.Object({
    reason: Type.Optional(Nullable(Type.String({ maxLength: 1_000 }))),
    reference: Type.Optional(Nullable(Type.String({ maxLength: 1_000 }))),
  }),
  Type.Null(),
])
const AttackId = Type.Object({ guid: Type.String({ description: 'The id of the attack.' }) })
const halted = { status: 202, schema: Type.Array(Attack) } as const
/** With HALT_WRITE the team's attacks, with HALT_ALL those of all teams of the company. */
const haltAll = {
  access: ['HALT_WRITE', 'HALT_ALL'],
  query: TeamQuery,
  rateLimit: false,
  withoutStorage: true,
} as const

export const haltAttack = defineRoute({
  operationId: 'haltAttack',
  audit: 'attack.halt',
  method: 'DELETE',
  path: '/attacks/:guid',
  tag: 'halts',
  summary: 'Halt an attack. Repeating it changes nothing; an attack that is over stays as it is.',
  access: 'HALT_WRITE',
  query: TeamQuery,
  params: AttackId,
  success: halted,
  errors: ['attack_not_found'],
  rateLimit: false,
  withoutStorage: true,
})

export const haltAttackWithReason = defineRoute({
  operationId: 'haltAttackWithReason',
  audit: 'attack.halt',
  method: 'POST',
  path: '/attacks/:guid/halt',
  tag: 'halts',
  summary: 'Halt an attack and say why.',
  access: 'HALT_WRITE',
  query: TeamQuery,
  params: AttackId,
  body: HaltBody,
  bodyOptional: true,
  success: halted,
  errors: ['malformed_json', 'invalid_body', 'attack_not_found'],
  rateLimit: false,
  withoutStorage: true,
})

export const haltAllAttacks = defineRoute({
  operationId: 'haltAllAttacks',
  audit: 'attack.halt-all',
  method: 'DELETE',
  path: '/attacks',
  tag: 'halts',
  summary: 'Halt everything that runs: of the team, or with HALT_ALL of the company.',
  ...haltAll,
  success: halted,
  errors: [],
})

export const haltAllAttacksWithReason = defineRoute({
  operationId: 'haltAllAttacksWithReason',
  audit: 'attack.halt-all',
  method: 'POST',
  path: '/attacks/halt',
  tag: 'halts',
  summary: 'Halt everything that runs and say why.',
  ...haltAll,
  body: HaltBody,
  bodyOptional: true,
  success: halted,
  errors: ['malformed_json', 'invalid_body'],
})

export const haltEverything = defineRoute({
  operationId: 'haltEverything',
  audit: 'attack.halt-all',
  method: 'POST',
  path: '/halts',
  tag: 'halts',
  summary: 'The same as POST /attacks/halt.',
  ...haltAll,
  body: HaltBody,
  bodyOptional: true,
  success: halted,
  errors: ['malformed_json', 'invalid_body'],
})
