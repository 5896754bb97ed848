import { defaultAuthPreferences, type AuthPreferences } from '../../shared/api/auth-preferences.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

/** How people sign in to each company. */
export interface AuthPreferencesStore {
  /** The defaults where nobody has chosen. */
  read(companyId: string): Promise<AuthPreferences>
  /**
   * Changes them; `edit` is asked again when someone else changed them meanwhile, so that its checks hold
   * for what is replaced.
   * @throws what `edit` throws
   */
  change(
    companyId: string,
    edit: (now: AuthPreferences) => AuthPreferences,
  ): Promise<{ readonly before: AuthPreferences; readonly after: AuthPreferences }>
}

const field = 'authPreferences'
const replaceField = loadScript('replace-field')

/** Opens the store of authentication preferences. */
export function openAuthPreferences(redis: Redis): AuthPreferencesStore {
  const readText = async (companyId: string) =>
    (await redis.hget(keys.company(companyId), field)) ?? ''
  return {
    read: async (companyId) => toPreferences(await readText(companyId)),
    async change(companyId, edit) {
      for (;;) {
        const text = await readText(companyId)
        const before = toPreferences(text)
        const after = edit(before)
        const args = [field, text, JSON.stringify(after)]
        if ((await replaceField.run(redis, [keys.company(companyId)], args)) === 1)
          return { before, after }
      }
    },
  }
}

function toPreferences(text: string): AuthPreferences {
  return { ...defaultAuthPreferences, ...(JSON.parse(text || '{}') as Partial<AuthPreferences>) }
}
