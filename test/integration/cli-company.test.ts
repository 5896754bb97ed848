import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Company } from '../../shared/api/companies.ts'
import type { Api } from '../support/api.ts'
import { temblor } from '../support/command.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'

let controller: TestController
let owner: Api

beforeAll(async () => {
  controller = await startTestController()
  const company = await controller.store.companies.addCompany('Acme')
  const team = await controller.store.companies.addTeam(company, 'Payments')
  owner = await controller.join(company, {
    email: newEmail('owner'),
    roles: ['COMPANY_OWNER'],
    teams: { [team.id]: ['TEAM_MANAGER'] },
  })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const cli = (...args: string[]) =>
  temblor(['company', ...args], {
    TEMBLOR_URL: controller.baseUrl,
    TEMBLOR_TOKEN: owner.session.header,
  })

test('the company is shown and changed', async () => {
  expect((await cli('show')).stdout).toMatch(/^Acme \([\s\S]*TEAM_USER[\s\S]*Payments/)
  const set = await cli('set', '--default-team-role', 'TEAM_VIEWER', '--pref', 'a=1', '--json')
  expect(JSON.parse(set.stdout) as Company).toMatchObject({
    defaultTeamRole: 'TEAM_VIEWER',
    defaultCompanyRole: 'COMPANY_USER',
    prefs: { a: '1' },
  })
  expect((await cli('set', '--remove-pref', 'a')).stdout).toMatch(/preferences +none/)
  expect(await cli('set')).toMatchObject({ code: 2 })
  const refused = await cli('set', '--default-team-role', 'TEAM_MANAGER')
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toContain('TEAM_VIEWER')
})

test('its people, hosts and roles are listed', async () => {
  expect((await cli('users')).stdout).toContain(owner.session.identifier)
  expect((await cli('clients')).stdout).toMatch(/^HOST/)
  expect((await cli('roles')).stdout).toMatch(/COMPANY_OWNER\n.*PROMOTE_DEMOTE_OWNER/)
})

const preferences = (...args: string[]) => cli('preferences', ...args)

test('preferences of sign-in are shown and changed, those that are not named stay', async () => {
  expect((await preferences('show')).stdout).toMatch(/passwordEnabled +on +Sign-in with a password/)
  const set = await preferences('set', 'allowSessionRenewal=off', 'sessionDuration=60', '--json')
  expect(JSON.parse(set.stdout)).toMatchObject({
    allowSessionRenewal: false,
    sessionDuration: 60,
    passwordEnabled: true,
  })
  for (const [pair, text] of [
    ['sessionDurations=60', 'Did you mean sessionDuration?'],
    ['sessionDuration=1', 'sessionDuration'],
    ['sessionDuration=long', 'a whole number'],
    ['apiKeysEnabled=constructor', 'on or off'],
    ['samlEnabled=on', 'samlEnabled'],
    ['nonsense', 'key=value'],
  ] as const) {
    const refused = await preferences('set', pair)
    expect({ pair, code: refused.code, stdout: refused.stdout }).toEqual({
      pair,
      code: 2,
      stdout: '',
    })
    expect(refused.stderr).toContain(text)
  }
  expect(JSON.parse((await preferences('show', '--json')).stdout)).toEqual(JSON.parse(set.stdout))
  expect((await preferences('set', 'allowSessionRenewal=on')).stdout).toMatch(
    /allowSessionRenewal +on/,
  )
})
