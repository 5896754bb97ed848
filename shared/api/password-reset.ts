import { Type } from 'typebox'
import { NewPassword } from './password.ts'
import { defineRoute } from './route.ts'

const Email = Type.String({ minLength: 1, maxLength: 254, description: 'Email address.' })
const success = { status: 200, schema: Type.Literal('Success'), mediaType: 'text/plain' } as const
const consumes = ['application/x-www-form-urlencoded', 'application/json'] as const

export const requestPasswordReset = defineRoute({
  operationId: 'requestPasswordReset',
  // Recorded when a mail is sent: what is looked up for that must not show in the time of the answer.
  audit: false,
  method: 'POST',
  path: '/users/auth/password/reset',
  tag: 'users.auth',
  summary:
    'Ask for a mail with a code to set a new password. The answer is the same whether there is such a user or not.',
  access: 'public',
  consumes,
  body: Type.Object({ email: Email }),
  success,
  errors: ['invalid_body', 'malformed_json', 'locked_out'],
})

export const resetPassword = defineRoute({
  operationId: 'resetPassword',
  audit: 'session.password-reset',
  method: 'POST',
  path: '/users/auth/password',
  tag: 'users.auth',
  summary:
    'Set a new password with the code from the mail. All sessions of the user end; keys stay.',
  access: 'public',
  consumes,
  body: Type.Object({
    email: Email,
    code: Type.String({ minLength: 1, maxLength: 200 }),
    password: NewPassword,
  }),
  success,
  errors: [
    'invalid_body',
    'malformed_json',
    'invalid_credentials',
    'too_many_logins',
    'locked_out',
  ],
})
