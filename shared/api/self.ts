import { Type } from 'typebox'
import { Nullable } from './nullable.ts'
import { defineRoute } from './route.ts'

/** A name of a person: anything that fits on a line. */
const PersonName = Type.String({ maxLength: 100, pattern: String.raw`^[^\p{Cc}]*$` })

export const updateSelf = defineRoute({
  operationId: 'updateSelf',
  audit: 'user.update',
  method: 'PATCH',
  path: '/users/self',
  tag: 'users',
  summary: 'Change the own name. What is not passed stays; an empty one is removed.',
  access: 'MINIMUM_COMPANY_PRIVILEGES',
  body: Type.Object({
    first_name: Type.Optional(Nullable(PersonName)),
    last_name: Type.Optional(Nullable(PersonName)),
  }),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: ['invalid_body', 'malformed_json'],
})
