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

/** What is done for a company as a whole. Every name is of the API that existing clients know, but two. */
export const companyPrivileges = [
  'MINIMUM_COMPANY_PRIVILEGES',
  'COMPANIES_READ',
  'TEAMS_READ',
  /** Own keys; a key never does more than its owner. */
  'API_KEYS_READ',
  'API_KEYS_WRITE',
  'COMPANY_USERS_READ',
  'REPORTS_READ',
  'HALT_ALL',
  /** Invitations, membership of teams, and roles of those who hold nothing that the editor lacks. */
  'COMPANY_USERS_WRITE',
  /** Makes and deletes teams. */
  'COMPANIES_WRITE',
  'COMPANY_PREFERENCES_WRITE',
  'ALL_API_KEYS_READ',
  'SCENARIO_SHARE_WRITE',
  'COMPANY_SECURITY_READ',
  'COMPANY_SECURITY_WRITE',
  'COMPANY_SAMLCLAIM_ALIAS_READ',
  'COMPANY_SAMLCLAIM_ALIAS_WRITE',
  'COMPANY_INTEGRATIONS_READ',
  'COMPANY_INTEGRATIONS_WRITE',
  'SECURITY_REPORTS_READ',
  'ROLES_WRITE',
  /** Ours: ends the access of a user to the company, and gives it back. */
  'COMPANY_USERS_REVOKE',
  /** Ours: gives and takes COMPANY_MANAGER, COMPANY_ADMIN and TEAM_MANAGER. */
  'PROMOTE_DEMOTE_MANAGER',
  /** Ours: besides FAULT_SHUTDOWN, for a host on which a controller runs. */
  'CONTROLLER_HOST_ATTACK',
  'PROMOTE_DEMOTE_OWNER',
] as const

/** What is done inside a team. */
export const teamPrivileges = [
  'MINIMUM_TEAM_PRIVILEGES',
  'EXPERIMENTS_READ',
  'EXPERIMENTS_RUN',
  'EXPERIMENTS_WRITE',
  ...faultPrivileges,
  'HALT_WRITE',
  'CLIENTS_READ',
  'CLIENTS_WRITE',
  'SCENARIOS_READ',
  'SCENARIOS_RUN',
  'SCENARIOS_WRITE',
  'USERS_READ',
  'USERS_WRITE',
  'TEAMS_WRITE',
  /** The secret with which hosts join. */
  'TEAM_SECURITY_READ',
  'TEAM_SECURITY_WRITE',
  'WEBHOOKS_READ',
  'WEBHOOKS_WRITE',
  'INTEGRATIONS_READ',
  'INTEGRATIONS_WRITE',
] as const

export type Privilege = (typeof companyPrivileges)[number] | (typeof teamPrivileges)[number]

const companyUser: readonly Privilege[] = [
  'MINIMUM_COMPANY_PRIVILEGES',
  'COMPANIES_READ',
  'TEAMS_READ',
  'API_KEYS_READ',
  'API_KEYS_WRITE',
]
const companyCoordinator: readonly Privilege[] = [
  ...companyUser,
  'COMPANY_USERS_READ',
  'REPORTS_READ',
  'HALT_ALL',
]
const companyManager: readonly Privilege[] = [
  ...companyCoordinator,
  'COMPANY_USERS_WRITE',
  'COMPANIES_WRITE',
  'COMPANY_PREFERENCES_WRITE',
  'ALL_API_KEYS_READ',
  'SCENARIO_SHARE_WRITE',
]
const companyAdmin: readonly Privilege[] = [
  ...companyManager,
  'COMPANY_SECURITY_READ',
  'COMPANY_SECURITY_WRITE',
  'COMPANY_SAMLCLAIM_ALIAS_READ',
  'COMPANY_SAMLCLAIM_ALIAS_WRITE',
  'COMPANY_INTEGRATIONS_READ',
  'COMPANY_INTEGRATIONS_WRITE',
  'SECURITY_REPORTS_READ',
  'ROLES_WRITE',
  'COMPANY_USERS_REVOKE',
  'PROMOTE_DEMOTE_MANAGER',
  'CONTROLLER_HOST_ATTACK',
  // The only ones that reach into teams: who joins hosts to a team is a matter of security.
  'TEAM_SECURITY_READ',
  'TEAM_SECURITY_WRITE',
]

const companyGrants: Record<CompanyRole, readonly Privilege[]> = {
  COMPANY_USER: companyUser,
  COMPANY_COORDINATOR: companyCoordinator,
  COMPANY_MANAGER: companyManager,
  COMPANY_ADMIN: companyAdmin,
  COMPANY_OWNER: [...companyAdmin, 'PROMOTE_DEMOTE_OWNER'],
}

const teamViewer: readonly Privilege[] = [
  'MINIMUM_TEAM_PRIVILEGES',
  'EXPERIMENTS_READ',
  'CLIENTS_READ',
  'SCENARIOS_READ',
  'USERS_READ',
  'WEBHOOKS_READ',
  'INTEGRATIONS_READ',
]

const teamGrants: Record<TeamRole, readonly Privilege[]> = {
  TEAM_VIEWER: teamViewer,
  TEAM_USER: [
    ...teamViewer,
    'EXPERIMENTS_RUN',
    'EXPERIMENTS_WRITE',
    ...faultPrivileges,
    'HALT_WRITE',
    'SCENARIOS_RUN',
    'SCENARIOS_WRITE',
  ],
  TEAM_CREDENTIAL_MANAGER: [
    'MINIMUM_TEAM_PRIVILEGES',
    'CLIENTS_READ',
    'USERS_READ',
    'TEAM_SECURITY_READ',
    'TEAM_SECURITY_WRITE',
  ],
  TEAM_MANAGER: teamPrivileges,
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

/** True for what is done inside a team, so that an error can say so. */
export function isTeamPrivilege(privilege: Privilege): boolean {
  return (teamPrivileges as readonly Privilege[]).includes(privilege)
}
