import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { Invitation } from '../../shared/api/invitations.ts'
import type { Team } from '../../shared/api/teams.ts'
import type { User } from '../../shared/api/users.ts'
import type { Api } from '../support/api.ts'
import { temblor } from '../support/command.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'

let controller: TestController
let company: Company
let owner: Api

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Company')
  const team = await controller.store.companies.addTeam(company, 'Payments')
  owner = await controller.join(company, {
    email: newEmail('owner'),
    roles: ['COMPANY_OWNER'],
    teams: { [team.id]: ['TEAM_MANAGER'] },
  })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const cli = (...args: string[]) =>
  temblor(args, {
    TEMBLOR_URL: controller.baseUrl,
    TEMBLOR_TOKEN: owner.session.header,
    TEMBLOR_PASSWORD: 'a password of their own',
  })
const json = async <T>(...args: string[]) => JSON.parse((await cli(...args, '--json')).stdout) as T

test('teams are made, shown, renamed and deleted', async () => {
  expect(await cli('team', 'create', 'Search', '--join')).toMatchObject({ code: 0 })
  expect((await cli('team', 'list')).stdout).toMatch(/Payments[\s\S]*Search/)
  expect(await json<Team>('team', 'show', 'search')).toMatchObject({ name: 'Search' })
  expect((await cli('team', 'rename', 'Search', 'Find')).stdout).toContain('Find')
  expect(await cli('team', 'rename', 'Find', 'Payments')).toMatchObject({ code: 2 })
  const secret = await json<{ secret: string }>('team', 'reset-secret', 'Find')
  expect(secret.secret.length).toBeGreaterThan(20)
  expect((await cli('team', 'join-line', 'Find')).stdout).toContain(`secret=${secret.secret}&`)
  expect(await cli('team', 'delete', 'Find', '--yes')).toMatchObject({ code: 0 })
  expect(await cli('team', 'show', 'Find')).toMatchObject({ code: 1 })
})

test('one says how one is called', async () => {
  const called = await cli('user', 'name', '--first', 'Ada', '--last', 'Löwe')
  expect(called.stdout).toContain('is called Ada Löwe now')
  expect((await cli('user', 'list')).stdout).toMatch(/NAME\n.*Ada Löwe/)
  expect(await cli('user', 'name')).toMatchObject({ code: 2 })
})

test('somebody is invited, joins, gets roles, loses access and gets it back', async () => {
  const email = newEmail('new')
  const made = await json<Invitation>('user', 'invite', email)
  const link = made.accept_url ?? ''
  expect((await cli('user', 'list', '--company')).stdout).toMatch(new RegExp(`${email} +INVITED`))
  expect((await cli('user', 'accept', link)).stdout).toBe(`${email} is in Company now.\n`)
  expect(await cli('user', 'accept', link)).toMatchObject({ code: 4 })
  expect(await cli('user', 'accept', 'http://x/')).toMatchObject({ code: 2 })
  expect((await cli('user', 'roles', email, 'TEAM_VIEWER')).stdout).toContain('TEAM_VIEWER')
  const roles = ['COMPANY_USER', 'COMPANY_COORDINATOR']
  expect(await json<User>('user', 'roles', email, ...roles)).toMatchObject({ roles })
  expect(await cli('user', 'roles', email, 'TEAM_BOSS')).toMatchObject({ code: 2 })
  for (const [command, state] of [
    ['revoke', 'REVOKED'],
    ['reactivate', 'ACTIVE'],
  ] as const) {
    expect(await cli('user', command, email)).toMatchObject({ code: 0 })
    const users = await json<User[]>('user', 'list', '--company')
    expect(users.find((one) => one.identifier === email)?.state).toBe(state)
  }
  expect(await cli('user', 'remove', email)).toMatchObject({ code: 0 })
  expect((await cli('user', 'list')).stdout).not.toContain(email)
  expect(await cli('user', 'add', email)).toMatchObject({ code: 0 })
})
