import { Type, type Static } from 'typebox'
import { defineRoute } from './route.ts'

/** How people sign in to a company. */
export const SignInMethods = Type.Object(
  {
    password: Type.Boolean(),
    saml: Type.Boolean({ description: 'GET /users/auth/saml/login begins it.' }),
    oauth: Type.Boolean({ description: 'GET /oauth/login begins it.' }),
    google: Type.Boolean({ description: 'The same with `provider=google`.' }),
  },
  { title: 'SignInMethods' },
)
export type SignInMethods = Static<typeof SignInMethods>

export const readSignInMethods = defineRoute({
  operationId: 'readSignInMethods',
  method: 'GET',
  path: '/users/auth/methods',
  tag: 'users.auth',
  summary:
    'How people sign in to a company. For a name that no company has the answer is that of a company that has chosen nothing.',
  access: 'public',
  query: Type.Object({ companyName: Type.String({ minLength: 1, maxLength: 200 }) }),
  success: { status: 200, schema: SignInMethods },
  errors: ['invalid_body'],
})
