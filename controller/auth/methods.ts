import type { AuthPreferences } from '../../shared/api/auth-preferences.ts'
import type { SsoMethod } from '../../shared/api/sign-in-failures.ts'

/** Whether a password lets anybody into the company. */
export function allowsPasswords({
  passwordEnabled,
  samlForced,
}: Pick<AuthPreferences, 'passwordEnabled' | 'samlForced'>): boolean {
  return passwordEnabled && !samlForced
}

/** Whether the company lets anybody in by this kind of provider, if there is one. */
export function allowsSso(
  preferences: Pick<
    AuthPreferences,
    'samlEnabled' | 'samlForced' | 'oauthEnabled' | 'googleEnabled'
  >,
  method: SsoMethod,
): boolean {
  if (method === 'saml') return preferences.samlEnabled
  if (preferences.samlForced) return false
  return method === 'oauth' ? preferences.oauthEnabled : preferences.googleEnabled
}
