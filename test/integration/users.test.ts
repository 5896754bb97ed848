import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { Team } from '../../controller/store/teams.ts'
import type { User } from '../../shared/api/users.ts'
import { companyRoles, type CompanyRole, type TeamRole } from '../../shared/roles.ts'
import type { Api } from '../support/api.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { request } from '../support/http.ts'

let controller: TestController
let company: Company
let team: Team
let owner: Api

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())

beforeEach(async () => {
  const { companies } = controller.store
  company = await companies.addCompany(`Company ${randomUUID()}`)
  team = await companies.addTeam(company, 'Payments')
  owner = await inCompany('COMPANY_OWNER')
})

const inCompany = (...roles: CompanyRole[]) =>
  controller.join(company, { email: newEmail(roles.join('-').toLowerCase()), roles })
const inTeam = (...roles: TeamRole[]) =>
  controller.join(company, {
    email: newEmail(roles.join('-').toLowerCase()),
    teams: { [team.id]: roles },
  })
const emailOf = (api: Api) => api.session.identifier
const ofCompany = (api: Api, path = '') => `/companies/${company.id}/users/${emailOf(api)}${path}`
const setRoles = (by: Api, whom: Api, ...roles: CompanyRole[]) =>
  by.send('PUT', ofCompany(whom), { json: { roles } })
const self = (api: Api) => api.get<{ privileges: string[]; company_roles: string[] }>('/users/self')
const signIn = (email: string) =>
  request(controller.baseUrl, 'POST', '/v1/users/auth', {
    form: { email, password: personsPassword },
  })

test('whoever places people for the company does so in teams that they are not in, and nothing else there', async () => {
  const [manager, person] = [await inCompany('COMPANY_MANAGER'), await inCompany('COMPANY_USER')]
  const place = (by: Api, teamId = team.id) =>
    by.send('POST', `/users?teamId=${teamId}`, { json: [{ identifier: emailOf(person) }] })
  expect(problem(await place(person)).code).toBe('wrong_team')
  expect(problem(await place(manager, randomUUID())).code).toBe('wrong_team')
  const foreign = await controller.store.companies.addTeam(
    await controller.store.companies.addCompany(`Other ${randomUUID()}`),
    'Payments',
  )
  expect(problem(await place(manager, foreign.id)).code).toBe('wrong_team')
  expect((await place(manager)).status).toBe(200)
  const role = `/users/${emailOf(person)}?teamId=${team.id}`
  const viewer = await manager.send('PUT', role, { form: { role: 'TEAM_VIEWER' } })
  expect((viewer.json as User).team_memberships).toMatchObject([{ roles: ['TEAM_VIEWER'] }])
  const promoted = await manager.send('PUT', role, { form: { role: 'TEAM_MANAGER' } })
  expect(problem(promoted).code).toBe('forbidden')
  for (const path of ['/users', '/attacks', '/clients'])
    expect(problem(await manager.send('GET', `${path}?teamId=${team.id}`)).code).toBe('wrong_team')
  const guest = newEmail('guest')
  const invited = await manager.send('POST', `/users/invite?teamId=${team.id}`, {
    json: { email: guest },
  })
  expect(invited.status).toBe(200)
  expect((await manager.send('DELETE', role)).status).toBe(200)
})

describe('company roles', () => {
  test('act with the next request of a session that is open', async () => {
    const user = await inCompany('COMPANY_USER')
    const list = () => user.send('GET', `/companies/${company.id}/users`)
    expect(problem(await list())).toEqual({ status: 403, code: 'forbidden' })
    const changed = await setRoles(owner, user, 'COMPANY_COORDINATOR')
    expect(changed.json).toMatchObject({
      identifier: emailOf(user),
      roles: ['COMPANY_COORDINATOR'],
    })
    expect((await list()).status).toBe(200)
    expect((await self(user)).company_roles).toEqual(['COMPANY_COORDINATOR'])
    await setRoles(owner, user, 'COMPANY_USER')
    expect(problem(await list())).toEqual({ status: 403, code: 'forbidden' })
  })

  test('above the own are not granted, and the refusal names what is missing', async () => {
    const manager = await inCompany('COMPANY_MANAGER')
    const admin = await inCompany('COMPANY_ADMIN')
    const user = await inCompany('COMPANY_USER')
    for (const [by, role, missing] of [
      [manager, 'COMPANY_ADMIN', 'PROMOTE_DEMOTE_MANAGER'],
      [manager, 'COMPANY_OWNER', 'PROMOTE_DEMOTE_OWNER'],
      [admin, 'COMPANY_OWNER', 'PROMOTE_DEMOTE_OWNER'],
      [user, 'COMPANY_COORDINATOR', 'COMPANY_USERS_WRITE'],
    ] as const) {
      for (const whom of [user, by]) {
        const answer = await setRoles(by, whom, role)
        expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
        expect(answer.text).toContain(`User requires privilege: ${missing}`)
      }
    }
    expect((await self(user)).company_roles).toEqual(['COMPANY_USER'])
    expect((await self(manager)).company_roles).toEqual(['COMPANY_MANAGER'])
    expect(problem(await setRoles(manager, user, 'COMPANY_MANAGER')).status).toBe(403)
    expect((await setRoles(manager, user, 'COMPANY_COORDINATOR')).status).toBe(200)
    expect((await setRoles(admin, user, 'COMPANY_ADMIN')).status).toBe(200)
  })

  test('of an owner are touched by no admin', async () => {
    const admin = await inCompany('COMPANY_ADMIN')
    for (const answer of [
      await setRoles(admin, owner, 'COMPANY_USER'),
      await setRoles(admin, owner, 'COMPANY_OWNER', 'COMPANY_USER'),
      await admin.send('DELETE', ofCompany(owner, '/active')),
    ])
      expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
    expect((await self(owner)).company_roles).toEqual(['COMPANY_OWNER'])
  })

  test.each([
    [[]],
    [['COMPANY_BOSS']],
    [['company_user']],
    [['TEAM_USER']],
    ['COMPANY_USER'],
    [null],
  ])('%j are refused, and nothing changes', async (roles) => {
    const user = await inCompany('COMPANY_USER')
    const answer = await owner.send('PUT', ofCompany(user), { json: { roles } })
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid_body' })
    expect((await self(user)).company_roles).toEqual(['COMPANY_USER'])
  })

  test('of somebody of another company cannot be seen or set', async () => {
    const { companies } = controller.store
    const elsewhere = await companies.addCompany(`Elsewhere ${randomUUID()}`)
    const stranger = await controller.join(elsewhere, {
      email: newEmail('stranger'),
      roles: ['COMPANY_OWNER'],
    })
    expect(problem(await setRoles(owner, stranger, 'COMPANY_USER'))).toEqual({
      status: 404,
      code: 'user_not_found',
    })
    for (const answer of [
      await stranger.send('GET', `/companies/${company.id}/users`),
      await setRoles(stranger, owner, 'COMPANY_USER'),
      await stranger.send('DELETE', ofCompany(owner, '/active')),
      await stranger.send('GET', `/companies/${randomUUID()}/users`),
    ])
      expect(problem(answer)).toEqual({ status: 404, code: 'company_not_found' })
  })
})

describe('the last active owner', () => {
  test('keeps the role and the access', async () => {
    const gone = await inCompany('COMPANY_OWNER')
    expect((await owner.send('DELETE', ofCompany(gone, '/active'))).status).toBe(200)
    for (const answer of [
      await setRoles(owner, owner, 'COMPANY_ADMIN'),
      await owner.send('DELETE', ofCompany(owner, '/active')),
    ])
      expect(problem(answer)).toEqual({ status: 409, code: 'last_owner' })
    expect((await self(owner)).company_roles).toEqual(['COMPANY_OWNER'])
    const second = await inCompany('COMPANY_OWNER')
    expect((await setRoles(owner, owner, 'COMPANY_ADMIN')).status).toBe(200)
    expect((await self(second)).company_roles).toEqual(['COMPANY_OWNER'])
  })

  test('is left when all owners demote one another at once', async () => {
    const owners = [owner]
    while (owners.length < 6) owners.push(await inCompany('COMPANY_OWNER'))
    await Promise.all(
      owners.map((by, index) =>
        setRoles(by, owners[(index + 1) % owners.length] as Api, 'COMPANY_USER'),
      ),
    )
    const members = await controller.store.members.list(company.id)
    const left = members.filter((member) => member.roles.includes('COMPANY_OWNER'))
    expect(left.length).toBeGreaterThanOrEqual(1)
  })
})

describe('revoking a user', () => {
  test('ends the access with the next request; what was open stays closed when it is given back', async () => {
    const user = await inTeam('TEAM_USER')
    const twin = await inTeam('TEAM_USER')
    expect((await owner.send('DELETE', ofCompany(user, '/active'))).status).toBe(200)
    expect(problem(await user.send('GET', '/attacks'))).toEqual({
      status: 401,
      code: 'unauthenticated',
    })
    expect(problem(await signIn(emailOf(user)))).toEqual({
      status: 401,
      code: 'invalid_credentials',
    })
    expect((await twin.send('GET', '/attacks')).status).toBe(200)
    const revoked = await owner.get<{ items: User[] }>(
      `/companies/${company.id}/users/revoked/paged`,
    )
    expect(revoked.items.map((one) => one.identifier)).toEqual([emailOf(user)])
    expect((await owner.send('POST', ofCompany(user, '/active'))).text).toBe('Success')
    expect(problem(await user.send('GET', '/attacks')).status).toBe(401)
    expect((await signIn(emailOf(user))).status).toBe(200)
  })

  test('is for admins and owners', async () => {
    const user = await inCompany('COMPANY_USER')
    for (const role of companyRoles) {
      const by = await inCompany(role)
      const may = role === 'COMPANY_ADMIN' || role === 'COMPANY_OWNER'
      for (const method of ['DELETE', 'POST'])
        expect((await by.send(method, ofCompany(user, '/active'))).status).toBe(may ? 200 : 403)
    }
  })

  test('leaves their place in another company', async () => {
    const { companies } = controller.store
    const other = await companies.addCompany(`Other ${randomUUID()}`)
    const here = await inCompany('COMPANY_USER')
    const there = await controller.join(other, { email: emailOf(here) })
    await owner.send('DELETE', ofCompany(here, '/active'))
    expect((await here.send('GET', '/users/self')).status).toBe(401)
    expect((await there.send('GET', '/users/self')).status).toBe(200)
  })
})

describe('the users of a team', () => {
  test('are added, listed, given roles and removed by a manager of it', async () => {
    const manager = await inTeam('TEAM_MANAGER')
    const user = await inCompany('COMPANY_USER')
    const list = async () =>
      (await manager.get<User[]>('/users')).map((one) => one.identifier).toSorted()
    const add = await manager.send('POST', '/users', { json: [{ identifier: emailOf(user) }] })
    expect(add).toMatchObject({ status: 200, text: 'Success' })
    expect(await list()).toEqual([emailOf(manager), emailOf(user)].toSorted())
    for (const options of [
      { form: { role: 'TEAM_VIEWER' } },
      { json: { role: ['TEAM_VIEWER', 'TEAM_CREDENTIAL_MANAGER'] } },
      {
        text: 'role=TEAM_VIEWER&role=TEAM_USER',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      { text: 'TEAM_VIEWER' },
    ]) {
      const answer = await manager.send('PUT', `/users/${emailOf(user)}`, options)
      expect(answer.status).toBe(200)
      const roles = (answer.json as User).team_memberships[0]?.roles
      expect(roles).toContain('TEAM_VIEWER')
    }
    const removed = await manager.send('DELETE', `/users/${emailOf(user)}`)
    expect(removed.text).toBe('Success')
    expect(await list()).toEqual([emailOf(manager)])
    expect((await manager.send('DELETE', `/users/${emailOf(user)}`)).status).toBe(404)
    expect((await self(user)).company_roles).toEqual(['COMPANY_USER'])
  })

  test('change with their next request', async () => {
    const manager = await inTeam('TEAM_MANAGER')
    const user = await inTeam('TEAM_USER')
    expect((await self(user)).privileges).toContain('EXPERIMENTS_RUN')
    await manager.send('PUT', `/users/${emailOf(user)}`, { form: { role: 'TEAM_VIEWER' } })
    expect((await self(user)).privileges).not.toContain('EXPERIMENTS_RUN')
    await manager.send('DELETE', `/users/${emailOf(user)}`)
    expect((await user.send('GET', '/attacks')).status).toBe(401)
  })

  test('are added all or none', async () => {
    const manager = await inTeam('TEAM_MANAGER')
    const user = await inCompany('COMPANY_USER')
    const member = await inTeam('TEAM_VIEWER')
    const gone = await inCompany('COMPANY_USER')
    await owner.send('DELETE', ofCompany(gone, '/active'))
    for (const [other, expected] of [
      [newEmail('nobody'), { status: 400, code: 'invalid_body' }],
      [emailOf(gone), { status: 400, code: 'invalid_body' }],
      [emailOf(member), { status: 409, code: 'already_in_team' }],
    ] as const) {
      const json = [{ identifier: emailOf(user) }, { identifier: other }]
      expect(problem(await manager.send('POST', '/users', { json }))).toEqual(expected)
    }
    const listed = await manager.get<User[]>('/users/active')
    expect(listed.map((one) => one.identifier)).not.toContain(emailOf(user))
  })

  test('are not made managers by a manager of the team, who also removes no other', async () => {
    const manager = await inTeam('TEAM_MANAGER')
    const other = await inTeam('TEAM_MANAGER')
    const user = await inTeam('TEAM_USER')
    for (const answer of [
      await manager.send('PUT', `/users/${emailOf(user)}`, { form: { role: 'TEAM_MANAGER' } }),
      await manager.send('PUT', `/users/${emailOf(other)}`, { form: { role: 'TEAM_USER' } }),
      await manager.send('DELETE', `/users/${emailOf(other)}`),
    ]) {
      expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
      expect(answer.text).toContain('PROMOTE_DEMOTE_MANAGER')
    }
    expect((await self(other)).privileges).toContain('USERS_WRITE')
  })

  test('are the business of the team alone: users of it change nobody', async () => {
    const viewer = await inTeam('TEAM_VIEWER')
    const user = await inTeam('TEAM_USER')
    for (const by of [viewer, user]) {
      const answer = await by.send('PUT', `/users/${emailOf(by)}`, {
        form: { role: 'TEAM_MANAGER' },
      })
      expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
    }
  })
})
