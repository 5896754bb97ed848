import { Type } from 'typebox'
import { GivenName } from './person-name.ts'
import { defineRoute } from './route.ts'

export const updateSelf = defineRoute({
  operationId: 'updateSelf',
  audit: 'user.update',
  method: 'PATCH',
  path: '/users/self',
  tag: 'users',
  summary: 'Change the own name. What is not passed stays; an empty one is removed.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  body: Type.Object(GivenName),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['invalid_body', 'malformed_json'],
})
