import type { AuthPreferences } from '../../shared/api/auth-preferences.ts'
import type { SignInSettingsStore } from './sign-in-settings.ts'

/** How people sign in to each company. */
export interface AuthPreferencesStore {
  /** The defaults where nobody has chosen. */
  read(companyId: string): Promise<AuthPreferences>
  /** Changes them without looking at what else is set. @throws what `edit` throws */
  change(
    companyId: string,
    edit: (now: AuthPreferences) => AuthPreferences,
  ): Promise<{ readonly before: AuthPreferences; readonly after: AuthPreferences }>
}

/** Opens the store of authentication preferences. */
export function openAuthPreferences(settings: SignInSettingsStore): AuthPreferencesStore {
  return {
    read: async (companyId) => (await settings.read(companyId)).preferences,
    async change(companyId, edit) {
      const { before, after } = await settings.change(companyId, (now) => ({
        ...now,
        preferences: edit(now.preferences),
      }))
      return { before: before.preferences, after: after.preferences }
    },
  }
}
