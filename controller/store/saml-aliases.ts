import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'

/** Roles that a value of a claim stands for. */
export interface SamlAliasRecord {
  readonly companyRoles: readonly CompanyRole[]
  /** By the id of the team; one that is gone gives nothing. */
  readonly teamRoles: Readonly<Record<string, readonly TeamRole[]>>
  readonly createdMs: number
  readonly updatedMs: number
}

/** Aliases of role claims, by company. */
export interface SamlAliases {
  list(companyId: string): Promise<ReadonlyMap<string, SamlAliasRecord>>
  /**
   * Changes one or makes or removes it; `edit` is asked again when someone else changed it meanwhile.
   * @throws what `edit` throws
   */
  change(
    companyId: string,
    aliasId: string,
    edit: (now: SamlAliasRecord | undefined, count: number) => SamlAliasRecord | undefined,
  ): Promise<void>
}

const replaceAlias = loadScript('replace-alias')

/** Opens the store of aliases. */
export function openSamlAliases(redis: Redis): SamlAliases {
  return {
    list: async (companyId) =>
      new Map(
        Object.entries(await redis.hgetall(keys.samlAliases(companyId))).map(([id, text]) => [
          id,
          JSON.parse(text) as SamlAliasRecord,
        ]),
      ),
    async change(companyId, aliasId, edit) {
      const key = keys.samlAliases(companyId)
      for (;;) {
        const [text, count] = await Promise.all([redis.hget(key, aliasId), redis.hlen(key)])
        const now = text === null ? undefined : (JSON.parse(text) as SamlAliasRecord)
        const next = edit(now, count)
        const args = [aliasId, text ?? '', next ? JSON.stringify(next) : '']
        if ((await replaceAlias.run(redis, [key], args)) === 1) return
      }
    },
  }
}
