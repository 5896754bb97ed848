import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { Team } from '../../controller/store/teams.ts'
import type { Api } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

/** Ways to more than one was given, or to keep what was taken. */

let controller: TestController
let company: Company
let team: Team
let owner: Api

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  team = await controller.store.companies.addTeam(company, 'Payments')
  owner = await join('COMPANY_OWNER')
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const join = (role: 'COMPANY_USER' | 'COMPANY_MANAGER' | 'COMPANY_ADMIN' | 'COMPANY_OWNER') =>
  controller.join(company, {
    email: newEmail(role.toLowerCase()),
    roles: [role],
    teams: { [team.id]: ['TEAM_USER'] },
  })
const emailOf = (api: Api) => api.session.identifier
const keyOf = async (api: Api) =>
  (await api.send('POST', '/apikeys', { json: { identifier: 'ci' } })).text
const statusWith = async (key: string) => {
  const headers = { authorization: `Key ${key}` }
  return (await owner.send('GET', '/users/self', { headers })).status
}

test('a manager of the company gives nobody, nor themselves, what opens a team to hosts', async () => {
  const climber = await join('COMPANY_MANAGER')
  const give = (by: Api) =>
    by.send('PUT', `/users/${emailOf(climber)}`, { form: { role: 'TEAM_CREDENTIAL_MANAGER' } })
  const reset = () => climber.send('POST', `/teams/${team.id}/secret/reset`)
  const refused = await give(climber)
  expect(problem(refused)).toEqual({ status: 403, code: 'forbidden' })
  expect(refused.text).toContain('TEAM_SECURITY_WRITE')
  expect(problem(await reset())).toEqual({ status: 403, code: 'forbidden' })
  const byDefault = await climber.send('PATCH', `/companies/${company.id}`, {
    json: { defaultTeamRole: 'TEAM_CREDENTIAL_MANAGER' },
  })
  expect(problem(byDefault)).toEqual({ status: 400, code: 'invalid_body' })
  expect((await give(await join('COMPANY_ADMIN'))).status).toBe(200)
  expect((await reset()).status).toBe(200)
})

test('keys of who is revoked are revoked: they do not come back with the user, who reinstates them', async () => {
  const user = await join('COMPANY_USER')
  const [key, other] = [await keyOf(user), await keyOf(await join('COMPANY_USER'))]
  expect(await statusWith(key)).toBe(200)
  for (const method of ['DELETE', 'POST']) {
    const path = `/companies/${company.id}/users/${emailOf(user)}/active`
    expect((await owner.send(method, path)).status).toBe(200)
    expect(await statusWith(key)).toBe(401)
  }
  expect(await statusWith(other)).toBe(200)
  const teams = { [team.id]: ['TEAM_USER'] as const }
  const back = await controller.join(company, { email: emailOf(user), teams })
  const revoked = { state: 'REVOKED', revoked_by: emailOf(owner) }
  expect(await back.get('/apikeys')).toMatchObject([revoked])
  expect((await back.send('PUT', '/apikeys/ci/activate')).text).toBe('Success')
  expect(await statusWith(key)).toBe(200)
})
