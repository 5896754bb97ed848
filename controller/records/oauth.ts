import type { Company } from '../../shared/api/companies.ts'
import type { SignInSettings } from '../store/sign-in-settings.ts'

/** The OAuth provider of a company as it is shown; null while there is none. */
export function toOAuthSettings({ preferences, oauth }: SignInSettings): Company['oauthSettings'] {
  if (!oauth) return null
  return {
    authorizationUri: oauth.authorizationUri,
    tokenUri: oauth.tokenUri,
    userInfoUri: oauth.userInfoUri,
    clientId: oauth.clientId,
    clientSecret: null,
    scope: oauth.scope,
    issuer: oauth.discovered?.issuer ?? null,
    enabled: preferences.oauthEnabled,
    redirectUris: [...oauth.redirectUris],
    acceptsForeignTokens: oauth.acceptsForeignTokens,
  }
}
