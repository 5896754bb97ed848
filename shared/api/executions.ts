import { Type } from 'typebox'
import { Execution } from './records.ts'
import { defineRoute } from './route.ts'

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
