import { readSignInMethods, type SignInMethods } from '../../../shared/api/sign-in-methods.ts'
import { defaultAuthPreferences } from '../../../shared/api/auth-preferences.ts'
import { allowsPasswords, allowsSso } from '../../auth/methods.ts'
import type { PublicProvider } from '../../oauth/public-provider.ts'
import type { Router } from '../../plugins/routes.ts'
import type { SignInSettings } from '../../store/sign-in-settings.ts'
import type { Store } from '../../store/store.ts'

interface SignInMethodsDeps {
  readonly store: Store
  readonly publicProvider: PublicProvider | undefined
}

/** What a company has that has chosen nothing. */
const usual = { preferences: defaultAuthPreferences, saml: undefined, oauth: undefined }

/** How people sign in to a company, for pages that ask them to. It tells nobody whether there is such a company. */
export function addSignInMethodsRoutes(router: Router, deps: SignInMethodsDeps): void {
  const { store, publicProvider } = deps
  router.add(readSignInMethods, async ({ query, reply }) => {
    reply.header('cache-control', 'no-store')
    const company = await store.companies.findCompany(query.companyName)
    const settings = company ? await store.signInSettings.read(company.id) : usual
    return methodsOf(settings, publicProvider !== undefined)
  })
}

function methodsOf(
  { preferences, saml, oauth }: SignInSettings,
  hasPublicProvider: boolean,
): SignInMethods {
  return {
    password: allowsPasswords(preferences),
    saml: allowsSso(preferences, 'saml') && saml !== undefined,
    oauth: allowsSso(preferences, 'oauth') && oauth !== undefined,
    google: allowsSso(preferences, 'google') && hasPublicProvider,
  }
}
