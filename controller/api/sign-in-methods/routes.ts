import { readSignInMethods, type SignInMethods } from '../../../shared/api/sign-in-methods.ts'
import { defaultAuthPreferences } from '../../../shared/api/auth-preferences.ts'
import { allowsPasswords } from '../../auth/methods.ts'
import type { Router } from '../../plugins/routes.ts'
import type { SignInSettings } from '../../store/sign-in-settings.ts'
import type { Store } from '../../store/store.ts'

/** How people sign in to a company, for pages that ask them to. It tells nobody whether there is such a company. */
export function addSignInMethodsRoutes(router: Router, { store }: { store: Store }): void {
  router.add(readSignInMethods, async ({ query, reply }) => {
    reply.header('cache-control', 'no-store')
    const company = await store.companies.findCompany(query.companyName)
    return methodsOf(
      company
        ? await store.signInSettings.read(company.id)
        : { preferences: defaultAuthPreferences, saml: undefined },
    )
  })
}

function methodsOf({ preferences, saml }: SignInSettings): SignInMethods {
  return {
    password: allowsPasswords(preferences),
    saml: preferences.samlEnabled && saml !== undefined,
    oauth: preferences.oauthEnabled,
    google: preferences.googleEnabled,
  }
}
