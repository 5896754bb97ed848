import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SamlAlias } from '../../shared/api/saml-aliases.ts'
import { auditOf } from '../support/audit.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { addSamlCompany, type SamlCompany } from '../support/saml-company.ts'
import { refusalsOf } from '../support/saml-refusals.ts'

/** Values of role claims that stand for roles: groups of the provider. */

let controller: TestController
let one: SamlCompany
let path: string

beforeAll(async () => {
  controller = await startTestController()
  one = await addSamlCompany(controller, 'Aliases')
  path = `/companies/${one.company.id}/saml/claim-aliases`
  await use(true)
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const use = (samlAliasesEnabled: boolean) =>
  one.admin.send('POST', `/companies/${one.company.id}/auth/prefs`, {
    json: { samlAliasesEnabled },
  })
const put = (aliasId: string, json: object, who = one.admin) =>
  who.send('PUT', `${path}/${encodeURIComponent(aliasId)}`, { json })
const groups = (...values: string[]) => [['company:roles', ...values]] as [string, ...string[]][]

test('an alias is made, shown, changed and removed', async () => {
  const aliasId = 'CN=SRE, OU=Ops/Élan'
  const made = await one.admin.send('POST', path, {
    json: {
      aliasId,
      companyRoles: ['COMPANY_MANAGER'],
      teamRoles: { [one.team.id]: ['TEAM_USER'] },
    },
  })
  expect(made).toMatchObject({ status: 200, json: { aliasId, companyRoles: ['COMPANY_MANAGER'] } })
  const again = await one.admin.send('POST', path, { json: { aliasId } })
  expect(problem(again)).toEqual({ status: 409, code: 'name_taken' })
  const entry = await auditOf(() => one.admin).leavesOne(() =>
    put(aliasId, { companyRoles: ['COMPANY_USER'] }),
  )
  expect(entry).toMatchObject({
    action: 'company.saml-alias',
    target: { name: aliasId },
    detail: {
      old: { company_roles: ['COMPANY_MANAGER'], team_roles: { [one.team.id]: ['TEAM_USER'] } },
      new: { company_roles: ['COMPANY_USER'], team_roles: {} },
    },
  })
  expect(await one.admin.get(path)).toEqual({ aliasIds: [aliasId] })
  const ofOne = `${path}/${encodeURIComponent(aliasId)}`
  expect(await one.admin.get<SamlAlias>(ofOne)).toMatchObject({ teamRoles: {} })
  expect((await one.admin.send('DELETE', ofOne)).text).toBe('Success')
  expect(problem(await one.admin.send('DELETE', ofOne))).toMatchObject({ status: 404 })
})

test.each([
  ['the name of a role', 'COMPANY_USER', {}, 'invalid_body'],
  ['a role that there is not', 'g', { companyRoles: ['COMPANY_GOD'] }, 'invalid_body'],
  [
    'a team that there is not',
    'g',
    { teamRoles: { '00000000-0000-4000-8000-000000000000': ['TEAM_USER'] } },
    'team_not_found',
  ],
])('%s is refused', async (_what, aliasId, json, code) => {
  expect(problem(await put(aliasId, json))).toMatchObject({ code })
  expect((await controller.store.samlAliases.list(one.company.id)).has(aliasId)).toBe(false)
})

test('nobody gives by an alias what they may not give by hand', async () => {
  const email = newEmail('company-admin')
  const admin = await controller.join(one.company, { email, roles: ['COMPANY_ADMIN'] })
  const json = { companyRoles: ['COMPANY_OWNER'] }
  expect(problem(await put('owners', json, admin))).toEqual({ status: 403, code: 'forbidden' })
  expect((await put('owners', json)).status).toBe(200)
  expect(problem(await put('owners', {}, admin))).toEqual({ status: 403, code: 'forbidden' })
  expect(problem(await admin.send('DELETE', `${path}/owners`))).toMatchObject({ status: 403 })
  expect((await put('admins', { companyRoles: ['COMPANY_ADMIN'] }, admin)).status).toBe(200)
})

test('who comes with groups has the roles of all of them, those in teams that are gone left out', async () => {
  const gone = await controller.store.companies.addTeam(one.company, newEmail('gone'))
  await put('sre', {
    companyRoles: ['COMPANY_COORDINATOR'],
    teamRoles: { [one.team.id]: ['TEAM_USER'], [gone.id]: ['TEAM_USER'] },
  })
  await put('leads', { teamRoles: { [one.team.id]: ['TEAM_MANAGER'] } })
  await controller.store.teams.remove(gone)
  const email = newEmail('grouped')
  const viewer = ['team:roles', `${one.team.id};TEAM_VIEWER`] as [string, ...string[]]
  await one.enter({ email, attributes: [...groups('COMPANY_USER', 'sre', 'leads'), viewer] })
  expect(await one.placeOf(email)).toEqual({
    roles: ['COMPANY_USER', 'COMPANY_COORDINATOR'],
    teams: { [one.team.id]: ['TEAM_VIEWER', 'TEAM_USER', 'TEAM_MANAGER'] },
  })
  await one.enter({ email, attributes: groups('leads') })
  expect(await one.placeOf(email)).toEqual({
    roles: ['COMPANY_USER'],
    teams: { [one.team.id]: ['TEAM_MANAGER'] },
  })
})

test('a group that nobody knows, and any while aliases are off, lets nobody in', async () => {
  await put('known', { companyRoles: ['COMPANY_USER'] })
  const refusals = refusalsOf(controller, one)
  const email = newEmail('victim')
  const post = (...values: string[]) =>
    one.post(one.build({ email, attributes: groups(...values) }))
  await refusals.refused(email, 'claims', () => post('known', 'unknown'))
  await use(false)
  await refusals.refused(email, 'claims', () => post('known'))
  await use(true)
  expect(await post('known')).toMatchObject({ status: 303 })
})
