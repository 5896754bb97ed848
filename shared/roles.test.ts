import { describe, expect, test } from 'vitest'
import { companyRoles, isCompanyRole, isTeamRole, privilegesOf, teamRoles } from './roles.ts'

const rights = (role: (typeof teamRoles)[number]) => [...privilegesOf([], [role])].toSorted()

describe('what roles allow', () => {
  test('a viewer reads and neither runs nor halts nor revokes', () => {
    expect(rights('TEAM_VIEWER')).toEqual(['CLIENTS_READ', 'EXPERIMENTS_READ'])
  })

  test('a user runs and halts and revokes no host', () => {
    const privileges = rights('TEAM_USER')
    for (const right of ['EXPERIMENTS_READ', 'EXPERIMENTS_RUN', 'FAULT_CPU', 'HALT_WRITE'])
      expect(privileges).toContain(right)
    expect(privileges).not.toContain('CLIENTS_WRITE')
  })

  test('a manager may do all that is inside the team', () => {
    const manager = privilegesOf([], ['TEAM_MANAGER'])
    for (const role of teamRoles)
      expect([...privilegesOf([], [role])].filter((right) => !manager.has(right))).toEqual([])
    expect(manager).toContain('CLIENTS_WRITE')
  })

  test('a credential manager runs nothing', () => {
    const privileges = rights('TEAM_CREDENTIAL_MANAGER')
    expect(privileges).not.toContain('EXPERIMENTS_RUN')
    expect(privileges).not.toContain('HALT_WRITE')
  })

  test('no company role gives anything inside a team', () => {
    const all = [...privilegesOf(companyRoles, [])]
    for (const right of ['EXPERIMENTS_READ', 'EXPERIMENTS_RUN', 'HALT_WRITE', 'CLIENTS_READ'])
      expect(all).not.toContain(right)
  })

  test('roles add up', () => {
    expect(privilegesOf(['COMPANY_USER'], ['TEAM_VIEWER', 'TEAM_USER'])).toEqual(
      new Set([
        ...privilegesOf(['COMPANY_USER'], []),
        ...privilegesOf([], ['TEAM_VIEWER']),
        ...privilegesOf([], ['TEAM_USER']),
      ]),
    )
    expect(privilegesOf([], []).size).toBe(0)
  })
})

test('the roles are those of the interface, and only those', () => {
  expect(companyRoles.toSorted()).toEqual([
    'COMPANY_ADMIN',
    'COMPANY_COORDINATOR',
    'COMPANY_MANAGER',
    'COMPANY_OWNER',
    'COMPANY_USER',
  ])
  expect(teamRoles.toSorted()).toEqual([
    'TEAM_CREDENTIAL_MANAGER',
    'TEAM_MANAGER',
    'TEAM_USER',
    'TEAM_VIEWER',
  ])
  expect(isCompanyRole('COMPANY_OWNER')).toBe(true)
  expect(isTeamRole('TEAM_USER')).toBe(true)
  const wrong = ['', 'team_user', 'TEAM_OWNER', 'COMPANY_USER ', 'constructor']
  expect(wrong.filter((text) => isTeamRole(text) || isCompanyRole(text))).toEqual([])
})
