import type { Company } from '../../shared/api/companies.ts'
import type { SignInSettings } from '../store/sign-in-settings.ts'

/** The provider of a company as it is shown; null while there is none. */
export function toSamlIdpPrefs({ preferences, saml }: SignInSettings): Company['samlIdpPrefs'] {
  if (!saml) return null
  return {
    entityId: saml.entityId,
    url: saml.url,
    cert: saml.certificates.join('\n'),
    enabled: preferences.samlEnabled,
    forced: preferences.samlForced,
    claimsForced: preferences.claimsRequired,
    idpInitiated: saml.idpInitiated,
  }
}
