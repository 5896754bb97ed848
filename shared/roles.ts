/** Roles and the privileges they give. The one table; routes name the privilege they need. */

export const companyRoles = [
  'COMPANY_USER',
  'COMPANY_COORDINATOR',
  'COMPANY_MANAGER',
  'COMPANY_ADMIN',
  'COMPANY_OWNER',
] as const
export type CompanyRole = (typeof companyRoles)[number]

export const teamRoles = [
  'TEAM_USER',
  'TEAM_VIEWER',
  'TEAM_CREDENTIAL_MANAGER',
  'TEAM_MANAGER',
] as const
export type TeamRole = (typeof teamRoles)[number]

/** The team privilege that one kind of fault needs besides EXPERIMENTS_RUN. */
export const faultPrivileges = [
  'FAULT_CPU',
  'FAULT_LATENCY',
  'FAULT_BLACKHOLE',
  'FAULT_SHUTDOWN',
] as const
export type FaultPrivilege = (typeof faultPrivileges)[number]

export type Privilege =
  | FaultPrivilege
  | 'MINIMUM_COMPANY_PRIVILEGES'
  | 'EXPERIMENTS_READ'
  | 'EXPERIMENTS_RUN'
  | 'HALT_WRITE'
  | 'HALT_ALL'
  | 'CLIENTS_READ'
  | 'CLIENTS_WRITE'
  /** Besides FAULT_SHUTDOWN, for a host on which a controller runs. */
  | 'CONTROLLER_HOST_ATTACK'

const teamReads: Privilege[] = ['EXPERIMENTS_READ', 'CLIENTS_READ']
const teamRuns: Privilege[] = ['EXPERIMENTS_RUN', 'HALT_WRITE', ...faultPrivileges]

const companyGrants: Record<CompanyRole, readonly Privilege[]> = {
  COMPANY_USER: ['MINIMUM_COMPANY_PRIVILEGES'],
  COMPANY_COORDINATOR: ['MINIMUM_COMPANY_PRIVILEGES', 'HALT_ALL'],
  COMPANY_MANAGER: ['MINIMUM_COMPANY_PRIVILEGES', 'HALT_ALL'],
  COMPANY_ADMIN: ['MINIMUM_COMPANY_PRIVILEGES', 'HALT_ALL', 'CONTROLLER_HOST_ATTACK'],
  COMPANY_OWNER: ['MINIMUM_COMPANY_PRIVILEGES', 'HALT_ALL', 'CONTROLLER_HOST_ATTACK'],
}

const teamGrants: Record<TeamRole, readonly Privilege[]> = {
  TEAM_VIEWER: teamReads,
  TEAM_USER: [...teamReads, ...teamRuns],
  TEAM_CREDENTIAL_MANAGER: ['CLIENTS_READ'],
  TEAM_MANAGER: [...teamReads, ...teamRuns, 'CLIENTS_WRITE'],
}

/** Everything that these roles allow together; company roles give nothing inside a team. */
export function privilegesOf(
  company: readonly CompanyRole[],
  team: readonly TeamRole[],
): Set<Privilege> {
  return new Set([
    ...company.flatMap((role) => companyGrants[role]),
    ...team.flatMap((role) => teamGrants[role]),
  ])
}

export function isCompanyRole(text: string): text is CompanyRole {
  return (companyRoles as readonly string[]).includes(text)
}

export function isTeamRole(text: string): text is TeamRole {
  return (teamRoles as readonly string[]).includes(text)
}
