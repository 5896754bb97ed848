import { describe, expect, test } from 'vitest'
import {
  companyPrivileges,
  companyRoles,
  isCompanyRole,
  isTeamRole,
  privilegesOf,
  teamPrivileges,
  teamRoles,
} from './roles.ts'

const rights = (role: (typeof teamRoles)[number]) => [...privilegesOf([], [role])].toSorted()

describe('what roles allow', () => {
  test('a viewer reads and neither runs nor halts nor revokes', () => {
    const privileges = rights('TEAM_VIEWER')
    expect(privileges).toEqual(expect.arrayContaining(['CLIENTS_READ', 'EXPERIMENTS_READ']))
    expect(privileges.filter((right) => !/_READ$|^MINIMUM_/.test(right))).toEqual([])
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

  test('no company role gives anything inside a team but the care of its secret', () => {
    const all = privilegesOf(companyRoles, [])
    expect(teamPrivileges.filter((right) => all.has(right))).toEqual([
      'TEAM_SECURITY_READ',
      'TEAM_SECURITY_WRITE',
    ])
    const below = privilegesOf(['COMPANY_MANAGER', 'COMPANY_COORDINATOR'], [])
    expect(teamPrivileges.filter((right) => below.has(right))).toEqual([])
  })

  test('a team role gives nothing in the company', () => {
    const all = privilegesOf([], teamRoles)
    expect(companyPrivileges.filter((right) => all.has(right))).toEqual([])
  })

  test('each company role has all that the one before it has', () => {
    const sets = companyRoles.map((role) => privilegesOf([role], []))
    for (const [index, set] of sets.entries())
      expect([...(sets[index - 1] ?? [])].filter((right) => !set.has(right))).toEqual([])
    expect(sets.at(-1)?.size).toBe(companyPrivileges.length + 2)
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
