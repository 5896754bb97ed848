import type { CompanyRole, TeamRole } from '../../../shared/roles.ts'

/** What a role is for, in a line. */
export const roleHints: Record<CompanyRole | TeamRole, string> = {
  COMPANY_USER: 'Belongs to the company; keys of their own.',
  COMPANY_COORDINATOR: 'Sees everybody, and halts everything.',
  COMPANY_MANAGER: 'Invites people, makes teams, places people in them.',
  COMPANY_ADMIN: 'Besides: how people sign in, the audit, revoking people.',
  COMPANY_OWNER: 'Everything, owners among it.',
  TEAM_USER: 'Runs and halts attacks.',
  TEAM_VIEWER: 'Looks only.',
  TEAM_CREDENTIAL_MANAGER: 'Looks after the secret with which hosts join.',
  TEAM_MANAGER: 'Everything in the team, its people among it.',
}

/** `COMPANY_MANAGER` is "Manager". What is no known role stays as it is. */
export function roleWords(role: string): string {
  const [, name] = /^(?:COMPANY|TEAM)_(\w+)$/.exec(role) ?? []
  if (name === undefined) return role
  return name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ')
}

/** All of them on a line. */
export function rolesWords(roles: readonly string[]): string {
  return roles.length > 0 ? roles.map(roleWords).join(', ') : 'none'
}
