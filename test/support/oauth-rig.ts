import type { Answer } from './http.ts'
import { newEmail, startTestController, type TestController } from './in-process.ts'
import { addOAuthCompany, addressesOf, type OAuthCompany } from './oauth-company.ts'
import { refusedBy } from './oauth-refusals.ts'
import { startOidcProvider, type Claims, type TestProvider } from './oidc-provider.ts'

export const rigScope = 'openid email roles'

/** A controller, two real providers and a company for each. */
export interface OAuthRig extends AsyncDisposable {
  readonly controller: TestController
  readonly provider: TestProvider
  readonly second: TestProvider
  /** Knows the issuer of `provider`, and so verifies ID tokens. */
  readonly one: OAuthCompany
  /** Knows three addresses of `second` and no more. */
  readonly two: OAuthCompany
  /** Somebody whom the first provider knows. */
  person(claims?: Claims): { login: string; email: string }
  /** Nothing may come of it but a trace of this check. */
  refused(
    check: string,
    email: string,
    work: () => Promise<Answer>,
    by?: OAuthCompany,
  ): Promise<void>
}

export async function startOAuthRig(): Promise<OAuthRig> {
  const controller = await startTestController()
  const redirectUris = [`${controller.baseUrl}/v1/oauth/callback`]
  const provider = await startOidcProvider({ redirectUris })
  const second = await startOidcProvider({ redirectUris })
  const scope = rigScope
  const one = await addOAuthCompany(controller, 'One', { issuer: provider.issuer, scope })
  const two = await addOAuthCompany(controller, 'Two', { ...addressesOf(second.issuer), scope })
  return {
    controller,
    provider,
    second,
    one,
    two,
    person(claims = {}) {
      const email = newEmail('person')
      const login = `login of ${email}`
      for (const { people } of [provider, second])
        people.set(login, { email, email_verified: true, ...claims })
      return { login, email }
    },
    refused: (check, email, work, by = one) => refusedBy(controller, by, check, email, work),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await second[Symbol.asyncDispose]()
      await controller[Symbol.asyncDispose]()
    },
  }
}
