import { Type, type Static } from 'typebox'
import { Nullable } from './nullable.ts'
import { Timestamp } from './timestamp.ts'

/** By which kind of provider somebody signs in. */
export const ssoMethods = ['saml', 'oauth', 'google'] as const
export type SsoMethod = (typeof ssoMethods)[number]

/** A sign-in by a provider that was refused, for those who look after the company. */
export const SignInFailure = Type.Object(
  {
    time: Timestamp,
    method: Type.Enum(ssoMethods, { description: 'By which kind of provider.' }),
    check: Type.String({ description: 'Which check failed.' }),
    reason: Type.String({ description: 'What came and what was expected.' }),
    email: Nullable(Type.String({ description: 'Whom it named; proven by nothing.' })),
    issuer: Nullable(Type.String({ description: 'From whom it said to be.' })),
    in_response_to: Nullable(
      Type.String({ description: 'Of SAML; null where the provider began.' }),
    ),
    from: Type.String({ description: 'The address that the request came from.' }),
    request_id: Type.String(),
  },
  { title: 'SignInFailure' },
)
export type SignInFailure = Static<typeof SignInFailure>
