import { readAttributeClaims, type RoleClaims } from '../auth/claims.ts'
import type { CompanyRole, TeamRole } from '../../shared/roles.ts'
import type { SamlAttribute } from './assertion.ts'

/** What an alias stands for. */
interface AliasRoles {
  readonly companyRoles: readonly CompanyRole[]
  readonly teamRoles: Readonly<Record<string, readonly TeamRole[]>>
}

/**
 * Reads claims of which values of `company:roles` may be aliases: what these stand for in the company takes
 * their place, what they stand for in teams comes besides. What is neither a role nor an alias is refused
 * like any other value that nobody knows.
 * @throws ClaimError
 */
export function readClaimsWithAliases(
  attributes: readonly SamlAttribute[],
  aliases: ReadonlyMap<string, AliasRoles>,
): RoleClaims | undefined {
  const besides = new Map<string, readonly TeamRole[]>()
  const expanded = attributes.map(({ name, values }) => ({
    name,
    values:
      name === 'company:roles'
        ? values.flatMap((value) => {
            const alias = aliases.get(value)
            for (const [team, roles] of Object.entries(alias?.teamRoles ?? {}))
              besides.set(team, [...(besides.get(team) ?? []), ...roles])
            return alias?.companyRoles ?? value
          })
        : values,
  }))
  const claims = readAttributeClaims(expanded)
  return claims && { ...claims, besides }
}
