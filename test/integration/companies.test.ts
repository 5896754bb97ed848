import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Company as CompanyRecord } from '../../controller/store/companies.ts'
import type { Team } from '../../controller/store/teams.ts'
import type { Company } from '../../shared/api/companies.ts'
import type { Invitation } from '../../shared/api/invitations.ts'
import type { Roles } from '../../shared/api/roles.ts'
import type { User } from '../../shared/api/users.ts'
import { companyRoles, privilegesOf, teamRoles } from '../../shared/roles.ts'
import type { Api } from '../support/api.ts'
import { request } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

let controller: TestController
let company: CompanyRecord
let team: Team
let manager: Api
let user: Api
/** An owner of another company. */
let stranger: Api

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())

beforeEach(async () => {
  const { companies } = controller.store
  company = await companies.addCompany(`Company ${randomUUID()}`)
  team = await companies.addTeam(company, 'Payments')
  const elsewhere = await companies.addCompany(`Elsewhere ${randomUUID()}`)
  manager = await controller.join(company, {
    email: newEmail('manager'),
    roles: ['COMPANY_MANAGER'],
    teams: { [team.id]: ['TEAM_VIEWER'] },
  })
  user = await controller.join(company, {
    email: newEmail('user'),
    teams: { [team.id]: ['TEAM_USER'] },
  })
  stranger = await controller.join(elsewhere, {
    email: newEmail('stranger'),
    roles: ['COMPANY_OWNER'],
  })
})

const path = () => `/companies/${company.id}`
const read = (api = user) => api.get<Company>(path())
const patch = (json: unknown, api = manager) => api.send('PATCH', path(), { json })

describe('the company of the session', () => {
  test('is read by everybody in it, with or without its teams, and holds no secret', async () => {
    const shown = await read()
    expect(shown).toMatchObject({
      identifier: company.id,
      name: company.name,
      prefs: {},
      defaultCompanyRole: 'COMPANY_USER',
      defaultTeamRole: 'TEAM_USER',
      haltAllCoolDownEnd: null,
      oauthSettings: null,
      authMethodPrefs: { passwordEnabled: true, mfaRequired: false },
      orgs: [{ identifier: team.id, name: 'Payments' }],
    })
    expect(shown.createdAt).toMatch(/^20\d\d-.*\.\d{3}Z$/)
    expect(await user.get(`${path()}?skipTeams=True`)).not.toHaveProperty('orgs')
    expect(JSON.stringify(shown)).not.toContain(await controller.store.teams.readSecret(team))
  })

  test('keeps preferences: what is not passed stays, null removes', async () => {
    expect((await patch({ prefs: { colour: 'red', beta: true, days: 3 } })).text).toBe('Success')
    expect((await patch({ prefs: { colour: null, days: 4 } })).status).toBe(200)
    expect((await patch({ prefs: null, defaultTeamRole: null })).status).toBe(200)
    expect(await read()).toMatchObject({ prefs: { beta: true, days: 4 }, name: company.name })
    expect(Object.keys((await read()).prefs)).toEqual(['beta', 'days'])
  })

  test.each([
    [{ prefs: { 'a b': 1 } }],
    [{ prefs: { a: { deep: 1 } } }],
    [{ prefs: { a: 'x'.repeat(257) } }],
    [{ prefs: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`p${n}`, n])) }],
    [{ prefs: 'red' }],
    [{ defaultCompanyRole: 'COMPANY_OWNER' }],
    [{ defaultCompanyRole: 'COMPANY_MANAGER' }],
    [{ defaultTeamRole: 'TEAM_MANAGER' }],
    [{ defaultTeamRole: 'COMPANY_USER', prefs: { a: 1 } }],
  ])('%j is refused and changes nothing', async (body) => {
    const before = await read()
    expect(problem(await patch(body))).toEqual({ status: 400, code: 'invalid_body' })
    expect(await read()).toEqual(before)
  })

  test('says which roles may be the default', async () => {
    const answer = await patch({ defaultCompanyRole: 'COMPANY_ADMIN' })
    expect(answer.text).toContain('Allowed: COMPANY_USER, COMPANY_COORDINATOR.')
  })

  test('has fifty preferences at most, also when twenty ask at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        patch({ prefs: Object.fromEntries(['a', 'b', 'c', 'd'].map((x) => [`${x}${n}`, n])) }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBe(12)
    expect(Object.keys((await read()).prefs).length).toBe(48)
  })

  test('is changed by managers only', async () => {
    const answer = await patch({ prefs: { a: 1 } }, user)
    expect(problem(answer)).toEqual({ status: 403, code: 'forbidden' })
    expect(answer.text).toContain('COMPANY_PREFERENCES_WRITE')
    expect((await read()).prefs).toEqual({})
  })
})

describe('default roles', () => {
  test('are those of whoever is invited, and of whoever is added to a team', async () => {
    await patch({ defaultCompanyRole: 'COMPANY_COORDINATOR', defaultTeamRole: 'TEAM_VIEWER' })
    const email = newEmail('invited')
    await manager.send('POST', '/users/invite', { form: { email } })
    const listed = async (address: string) =>
      (await manager.get<User[]>(`${path()}/users`)).find((one) => one.identifier === address)
    expect(await listed(email)).toMatchObject({
      state: 'INVITED',
      roles: ['COMPANY_COORDINATOR'],
      team_memberships: [{ roles: ['TEAM_VIEWER'] }],
    })
    const added = newEmail('added')
    await controller.add(company.id, { email: added })
    await manager.send('POST', '/users', { json: [{ identifier: added }] })
    expect(await listed(added)).toMatchObject({
      roles: ['COMPANY_USER'],
      team_memberships: [{ roles: ['TEAM_VIEWER'] }],
    })
  })

  test('an invitation keeps the roles of the moment when it was made', async () => {
    const email = newEmail('early')
    const made = (await manager.send('POST', '/users/invite', { form: { email } }))
      .json as Invitation
    await patch({ defaultCompanyRole: 'COMPANY_COORDINATOR' })
    const facts = new URLSearchParams(new URL(made.accept_url ?? '').hash.slice(1))
    const joined = await request(controller.baseUrl, 'POST', `/v1${path()}/users`, {
      json: { email, code: facts.get('code'), password: 'a password of theirs' },
    })
    expect(joined.status).toBe(200)
    const users = await manager.get<User[]>(`${path()}/users`)
    expect(users.find((one) => one.identifier === email)?.roles).toEqual(['COMPANY_USER'])
  })
})

test('the company of others is not there, whether there is one of that id or not', async () => {
  const bodies: Record<string, object> = {
    PATCH: { json: { prefs: { a: 1 } } },
    PUT: { json: { roles: ['COMPANY_USER'] } },
    POST: { json: [{ identifier: newEmail('x') }] },
  }
  const mine = stranger.session.company_id
  for (const [method, tail] of [
    ['GET', ''],
    ['PATCH', ''],
    ['GET', '/clients'],
    ['GET', '/users'],
    ['GET', '/users/paged'],
    ['GET', '/users/active/paged'],
    ['PUT', '/users/EMAIL'],
    ['DELETE', '/users/EMAIL/active'],
    ['POST', '/users/EMAIL/active'],
    ['POST', '/invites'],
    ['DELETE', '/invites/EMAIL'],
  ] as const) {
    const ask = (id: string, email: string) =>
      stranger.send(method, `/companies/${id}${tail.replace('EMAIL', email)}`, bodies[method] ?? {})
    const texts = await Promise.all(
      [company.id, randomUUID()].map(async (id) => {
        const answer = await ask(id, user.session.identifier)
        expect(problem(answer)).toEqual({ status: 404, code: 'company_not_found' })
        return answer.text.replaceAll(id, 'ID').replace(/"requestId":"[^"]+"/, '')
      }),
    )
    expect(texts[0]).toBe(texts[1])
    // The untouched twin: the same in one's own company is let in.
    expect((await ask(mine, user.session.identifier)).text).not.toContain('company_not_found')
  }
  expect((await read()).prefs).toEqual({})
})

const claim = (teamId: string, identifier: string) =>
  controller.store.hosts.claim(
    teamId,
    {
      identifier,
      instanceId: randomUUID(),
      bootId: randomUUID(),
      version: '0',
      address: '',
      inventory: null,
    },
    15_000,
  )

const names = async (api: Api) =>
  (await api.get<{ identifier: string }[]>(`${path()}/clients`))
    .map((one) => one.identifier)
    .toSorted()

describe('the hosts of the company', () => {
  test('are those of the teams that the session may look into; all for coordinators', async () => {
    const other = await controller.store.companies.addTeam(company, 'Search')
    await claim(team.id, 'payments-1')
    await claim(other.id, 'search-1')
    const coordinator = await controller.join(company, {
      email: newEmail('coordinator'),
      roles: ['COMPANY_COORDINATOR'],
    })
    const outsider = await controller.join(company, { email: newEmail('outsider') })
    expect(await names(user)).toEqual(['payments-1'])
    expect(await names(coordinator)).toEqual(['payments-1', 'search-1'])
    expect(await names(outsider)).toEqual([])
  })
})

test('roles and privileges are those of the one table; there are none of our users making', async () => {
  const table = await user.get<Roles>('/roles')
  expect(Object.keys(table.roles.company)).toEqual([...companyRoles])
  expect(Object.keys(table.roles.team)).toEqual([...teamRoles])
  expect(table.customRoles).toEqual({ company: {}, team: {} })
  const owner = [...privilegesOf(['COMPANY_OWNER'], [])]
  expect(table.roles.company['COMPANY_OWNER']?.privileges).toEqual(owner)
  expect(table.privileges.company['PROMOTE_DEMOTE_OWNER']?.roles).toEqual(['COMPANY_OWNER'])
  expect((await request(controller.baseUrl, 'GET', '/v1/roles')).status).toBe(401)
})

test.each([
  ['POST', '/roles', 'GET /roles'],
  ['PATCH', '/roles/TEAM_USER', 'GET /roles'],
  ['DELETE', '/roles/x/', 'GET /roles'],
  ['GET', '/orgs/auth/certificate', 'secret'],
  ['POST', '/orgs/auth/certificate?teamId=x', 'each host'],
  ['DELETE', '/orgs/auth/certificate/old', 'each host'],
  ['GET', '/teams/helm/install', 'GET /teams/client/install'],
  ['GET', '/teams/kubernetes/install?teamId=x', 'GET /teams/client/install'],
  ['GET', '/users/auth/emailCompanies?email=a%40b.c', 'strangers'],
])('%s %s is not offered, and the answer says what to do instead', async (method, where, text) => {
  const answer = await manager.send(method, where.replace('COMPANY', company.id))
  expect(problem(answer)).toEqual({ status: 404, code: 'route_not_found' })
  expect(answer.text).toContain(text)
})

const self = () => user.get<{ first_name: string | null; last_name: string | null }>('/users/self')
const setName = (json: unknown) => user.send('PATCH', '/users/self', { json })

describe('the own name', () => {
  test('is set in parts, shown to oneself and removed', async () => {
    expect(await self()).toMatchObject({ first_name: null, last_name: null })
    expect((await setName({ first_name: 'Ada' })).text).toBe('Success')
    expect((await setName({ last_name: 'Löwe; |' })).status).toBe(200)
    expect(await self()).toMatchObject({ first_name: 'Ada', last_name: 'Löwe; |' })
    expect((await setName({ first_name: '' })).status).toBe(200)
    expect(await self()).toMatchObject({ first_name: null, last_name: 'Löwe; |' })
    for (const bad of ['a\nb', 'x'.repeat(101), 5])
      expect(problem(await setName({ first_name: bad }))).toEqual({
        status: 400,
        code: 'invalid_body',
      })
    expect(await self()).toMatchObject({ first_name: null, last_name: 'Löwe; |' })
  })
})
