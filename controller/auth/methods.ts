import type { AuthPreferences } from '../../shared/api/auth-preferences.ts'

/** Whether a password lets anybody into the company. */
export function allowsPasswords({
  passwordEnabled,
  samlForced,
}: Pick<AuthPreferences, 'passwordEnabled' | 'samlForced'>): boolean {
  return passwordEnabled && !samlForced
}
