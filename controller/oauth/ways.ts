import type { Seal } from '../auth/seal.ts'
import { allowsSso } from '../auth/methods.ts'
import type { OAuthMethod } from '../store/oauth.ts'
import { oauthSecretName } from '../store/sign-in-settings.ts'
import type { Store } from '../store/store.ts'
import type { Provider } from './provider.ts'
import type { PublicProvider } from './public-provider.ts'

/** How people come in to a company by a provider, while that is allowed. */
export interface Way {
  readonly provider: Provider
  /** Sign-ins that began with another one are over. */
  readonly version: string
  readonly redirectUris: readonly string[]
  readonly acceptsForeignTokens: boolean
  /** Refuse whoever comes without claims of roles. */
  readonly claimsRequired: boolean
}

export interface WayDeps {
  readonly store: Store
  readonly seal: Seal
  /** Undefined where none is set up. */
  readonly publicProvider: PublicProvider | undefined
}

/**
 * Undefined where the company does not let anybody in so; `isTest`: whether it does is not asked.
 * @throws SsoRefusal `provider`
 */
export async function findWay(
  { store, seal, publicProvider }: WayDeps,
  companyId: string,
  method: OAuthMethod,
  isTest = false,
): Promise<Way | undefined> {
  const { preferences, oauth } = await store.signInSettings.read(companyId)
  if (!isTest && !allowsSso(preferences, method)) return undefined
  const { claimsRequired } = preferences
  if (method === 'google')
    return (
      publicProvider && {
        provider: await publicProvider.read(),
        version: publicProvider.version,
        redirectUris: [],
        acceptsForeignTokens: false,
        claimsRequired,
      }
    )
  if (!oauth) return undefined
  const { clientSecretSealed, version, redirectUris, acceptsForeignTokens } = oauth
  const clientSecret = seal.open(clientSecretSealed, oauthSecretName(companyId))
  const provider = { ...oauth, clientSecret }
  return { provider, version, redirectUris, acceptsForeignTokens, claimsRequired }
}
