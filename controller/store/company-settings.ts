import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

/** What a company decides for itself. */
export interface CompanySettings {
  readonly prefs: Readonly<Record<string, string | number | boolean>>
  /** Of whoever is invited. */
  readonly defaultCompanyRole: CompanyRole
  /** Of whoever is invited or added to a team. */
  readonly defaultTeamRole: TeamRole
  /** Of email addresses: who has one may join by the public identity provider. In lower case. */
  readonly domains: readonly string[]
}

/** Settings of companies; one who set nothing has the defaults. */
export interface CompanySettingsStore {
  read(companyId: string): Promise<CompanySettings>
  /**
   * Changes them; `edit` is asked again when someone else changed them meanwhile.
   * @throws what `edit` throws
   */
  change(
    companyId: string,
    edit: (now: CompanySettings) => CompanySettings,
  ): Promise<{ readonly before: CompanySettings; readonly after: CompanySettings }>
}

const initial: CompanySettings = {
  prefs: {},
  defaultCompanyRole: 'COMPANY_USER',
  defaultTeamRole: 'TEAM_USER',
  domains: [],
}

const field = 'settings'
const replaceField = loadScript('replace-field')

/** Opens the store of companies' settings. */
export function openCompanySettings(redis: Redis): CompanySettingsStore {
  const read = async (companyId: string) => (await redis.hget(keys.company(companyId), field)) ?? ''
  return {
    read: async (companyId) => toSettings(await read(companyId)),
    async change(companyId, edit) {
      for (;;) {
        const text = await read(companyId)
        const before = toSettings(text)
        const after = edit(before)
        const args = [field, text, JSON.stringify(after)]
        if ((await replaceField.run(redis, [keys.company(companyId)], args)) === 1)
          return { before, after }
      }
    },
  }
}

function toSettings(text: string): CompanySettings {
  return text === '' ? initial : { ...initial, ...(JSON.parse(text) as Partial<CompanySettings>) }
}
