import { isCompanyRole, isTeamRole, type CompanyRole, type TeamRole } from '../../shared/roles.ts'
import { findTeamIn, type Team } from '../store/teams.ts'

/**
 * Claims of roles, as identity providers make them. They are the source of truth: whatever is not claimed is
 * lost. All of it is understood, or nothing is applied.
 */
export interface RoleClaims {
  /** Absent where nothing is said of company roles. */
  readonly companyRoles: readonly CompanyRole[] | undefined
  readonly teams: readonly TeamClaim[]
  /** Roles in teams by their ids, joined with those that are claimed; a team that is gone gives none. */
  readonly besides?: ReadonlyMap<string, readonly TeamRole[]>
}

interface TeamClaim {
  /** Name or id. */
  readonly team: string
  readonly roles: readonly TeamRole[]
}

/** A claim that cannot be meant. */
export class ClaimError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ClaimError'
  }
}

/**
 * Reads the attributes `company:roles`, `team:roles` and `team:<name or id>`; undefined when there is none.
 * @throws ClaimError
 */
export function readAttributeClaims(
  attributes: readonly { readonly name: string; readonly values: readonly string[] }[],
): RoleClaims | undefined {
  const company = attributes.filter(({ name }) => name === 'company:roles')
  const teams = attributes.filter(({ name }) => name.startsWith('team:'))
  if (company.length === 0 && teams.length === 0) return undefined
  const names = [...company, ...teams].map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new ClaimError(`There are two attributes ${quoted(twice)}.`)
  const inOne = teams.find(({ name }) => name === 'team:roles')
  if (inOne && teams.length > 1)
    throw new ClaimError(`team:roles and ${quoted(names.at(-1) ?? '')} are mixed; use one format.`)
  return {
    companyRoles: company[0] && company[0].values.map(toCompanyRole),
    teams: inOne
      ? inOne.values.map(toTeamClaim)
      : teams.map(({ name, values }) => ({
          team: name.slice('team:'.length),
          roles: values.flatMap(toTeamRoles),
        })),
  }
}

/**
 * Reads the claims `company_roles` and `team_roles` of OpenID Connect, which are lists; undefined when there is
 * neither.
 * @throws ClaimError
 */
export function readTokenClaims(claims: Readonly<Record<string, unknown>>): RoleClaims | undefined {
  const company = listOf(claims, 'company_roles')
  const teams = listOf(claims, 'team_roles')
  if (!company && !teams) return undefined
  return { companyRoles: company?.map(toCompanyRole), teams: (teams ?? []).map(toTeamClaim) }
}

function listOf(claims: Readonly<Record<string, unknown>>, name: string): string[] | undefined {
  const value = claims[name]
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new ClaimError(`The claim ${name} is not a list of texts.`)
}

function toCompanyRole(text: string): CompanyRole {
  if (isCompanyRole(text)) return text
  throw new ClaimError(`${quoted(text)} is not a company role.`)
}

/** `<team name or id>;<ROLE>[,<ROLE>...]`. */
function toTeamClaim(text: string): TeamClaim {
  const [team = '', roles, ...more] = text.split(';')
  if (roles === undefined || more.length > 0)
    throw new ClaimError(`${quoted(text)} is not <team>;<ROLE>[,<ROLE>...].`)
  return { team, roles: toTeamRoles(roles) }
}

function toTeamRoles(text: string): TeamRole[] {
  return text.split(',').map((part) => {
    const role = part.trim()
    if (isTeamRole(role)) return role
    throw new ClaimError(`${quoted(role)} is not a team role.`)
  })
}

/** What somebody is in a company, by the ids of its teams. */
export interface ClaimedPlace {
  readonly roles: readonly CompanyRole[]
  readonly teams: Readonly<Record<string, readonly TeamRole[]>>
}

/**
 * What the claims mean among these teams; `fallback` is the role of who has none in the company.
 * @throws ClaimError for a team that is not there or named twice
 */
export function placeByClaims(
  claims: RoleClaims,
  teams: readonly Team[],
  fallback: CompanyRole,
): ClaimedPlace {
  const placed = new Map<string, readonly TeamRole[]>()
  for (const { team, roles } of claims.teams) {
    const found = findTeamIn(teams, team)
    if (!found) throw new ClaimError(`There is no team ${quoted(team)}.`)
    if (placed.has(found.id)) throw new ClaimError(`The team ${quoted(found.name)} is named twice.`)
    if (roles.length === 0) throw new ClaimError(`There is no role for team ${quoted(team)}.`)
    placed.set(found.id, [...new Set(roles)])
  }
  for (const [id, more] of claims.besides ?? [])
    if (teams.some((team) => team.id === id))
      placed.set(id, [...new Set([...(placed.get(id) ?? []), ...more])])
  const roles = [...new Set(claims.companyRoles ?? [])]
  return { roles: roles.length > 0 ? roles : [fallback], teams: Object.fromEntries(placed) }
}

function quoted(text: string): string {
  return `"${text.slice(0, 120)}"`
}
