import { Type } from 'typebox'
import { NewPassword } from './password.ts'
import { defineRoute } from './route.ts'

export const readSetup = defineRoute({
  operationId: 'readSetup',
  method: 'GET',
  path: '/setup',
  tag: 'service',
  summary: 'Whether this installation has nobody yet and waits for its first owner.',
  access: 'public',
  success: { status: 200, schema: Type.Object({ needed: Type.Boolean() }, { title: 'Setup' }) },
  errors: [],
})

export const makeFirstOwner = defineRoute({
  operationId: 'makeFirstOwner',
  audit: 'user.create',
  method: 'POST',
  path: '/setup',
  tag: 'service',
  summary:
    'Make the first owner with a company and a team, by the code in the log of the controller. Works once: until there is a user.',
  access: 'public',
  body: Type.Object({
    code: Type.String({ minLength: 1, maxLength: 200 }),
    company: Type.String({ minLength: 1, maxLength: 100 }),
    team: Type.String({ minLength: 1, maxLength: 100 }),
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: NewPassword,
  }),
  success: { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' },
  errors: [
    'invalid_body',
    'malformed_json',
    'invalid_credentials',
    'already_set_up',
    'too_many_logins',
    'locked_out',
  ],
})
