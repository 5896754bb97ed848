import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '../../shared/api/sessions.ts'
import { apiOf, signIn, type Api } from '../support/api.ts'
import { request } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

let controller: TestController
let company: { id: string; name: string }
let teams: { id: string; name: string }[]
let email: string

beforeAll(async () => {
  controller = await startTestController()
  const made = await controller.store.companies.addCompany('Acme')
  company = made
  teams = []
  for (const name of ['First', 'Second', 'Third'])
    teams.push(await controller.store.companies.addTeam(made, name))
})
beforeEach(async () => {
  email = newEmail('ann')
  await controller.add(company.id, {
    email,
    teams: { [teamId(0)]: ['TEAM_USER'], [teamId(1)]: ['TEAM_VIEWER'] },
  })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const teamId = (index: number) => teams[index]?.id ?? ''
const auth = (query: string, form: Record<string, string>) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth${query}`, { form })
const person = (password = personsPassword) => signIn(controller.baseUrl, { email, password })
const statusOf = async (api: Api) => (await api.send('GET', '/users/self')).status

async function open(): Promise<Api> {
  const answer = await auth('?getCompanySession=true', { email, password: personsPassword })
  expect(answer.status).toBe(200)
  return apiOf(controller.baseUrl, answer.json as Session)
}

describe('a session of the company', () => {
  test('is one object with all teams, roles and privileges', async () => {
    const { session } = await open()
    expect(session).toMatchObject({
      org_id: company.id,
      org_name: 'Acme',
      roles: ['COMPANY_USER'],
      privileges: expect.arrayContaining(['MINIMUM_COMPANY_PRIVILEGES']),
    })
    expect(session.teams.map((team) => team.identifier)).toEqual([teamId(0), teamId(1)])
  })

  test('is shown as it is now, without its renew token, and none is opened for that', async () => {
    const api = await open()
    await controller.add(company.id, { email, teams: { [teamId(2)]: ['TEAM_MANAGER'] } })
    const { renew_token: told, ...shown } = api.session
    expect(told).toMatch(/^[0-9a-f-]{36}$/)
    const now = (await api.send('GET', '/users/sessions?getCompanySession=true')).json as Session
    expect(now).toEqual({ ...shown, teams: expect.any(Array) as Session['teams'] })
    expect(now.teams.map((team) => team.identifier)).toContain(teamId(2))
    const list = await (await person()).send('GET', '/users/sessions')
    expect(list.json).toMatchObject([{ org_id: teamId(2), teams: [{ identifier: teamId(2) }] }])
  })

  test('works in each team that teamId names, with the roles there, and in no other', async () => {
    const api = await open()
    const run = (team: string) => api.send('POST', `/attacks/new?teamId=${team}`, { json: {} })
    expect(problem(await run(teamId(0))).status).toBe(400)
    expect(problem(await run(teamId(1)))).toEqual({ status: 403, code: 'forbidden' })
    expect(problem(await run(teamId(2)))).toEqual({ status: 403, code: 'wrong_team' })
    expect(problem(await run(randomUUID()))).toEqual({ status: 403, code: 'wrong_team' })
    expect((await api.send('GET', `/attacks?teamId=${teamId(1)}`)).status).toBe(200)
    expect(problem(await api.send('GET', '/attacks')).status).toBe(403)
  })

  test('names the companies when there are several, and only after a right password', async () => {
    const other = await controller.store.companies.addCompany(`Other ${randomUUID()}`)
    await controller.add(other.id, { email })
    const which = await auth('?getCompanySession=true', { email, password: personsPassword })
    expect(problem(which)).toEqual({ status: 400, code: 'invalid_body' })
    expect(which.text).toContain('Acme')
    const wrong = await auth('?getCompanySession=true', { email, password: 'wrong' })
    expect(problem(wrong).code).toBe('invalid_credentials')
    expect(wrong.text).not.toContain('Acme')
    const named = { email, password: personsPassword, companyName: 'acme' }
    expect((await auth('?getCompanySession=true', named)).json).toMatchObject({
      company_id: company.id,
    })
  })
})

describe('changing the password', () => {
  const next = 'a new and longer password'
  const change = (api: Api, currentPassword: string, newPassword = next) =>
    api.send('PUT', '/users/auth/password', { form: { currentPassword, newPassword } })

  test('ends every other session at once; this one and keys go on', async () => {
    const [here, there] = [await person(), await person()]
    const key = await there.send('POST', '/apikeys', { json: { identifier: 'ci' } })
    const script = apiOf(controller.baseUrl, { ...here.session, header: `Key ${key.text}` })
    expect(await change(here, personsPassword)).toMatchObject({ status: 200, text: 'Success' })
    expect([await statusOf(here), await statusOf(there), await statusOf(script)]).toEqual([
      200, 401, 200,
    ])
    const old = await auth('', { email, password: personsPassword })
    expect(problem(old).code).toBe('invalid_credentials')
    expect(await statusOf(await person(next))).toBe(200)
    expect(problem(await change(script, next)).status).toBe(403)
  })

  test('needs the present one; wrong ones count as at the sign-in and leave the session alone', async () => {
    const api = await person()
    expect(problem(await change(api, personsPassword, 'short'))).toMatchObject({ status: 400 })
    for (let n = 0; n < 5; n += 1)
      expect(problem(await change(api, 'wrong')).code).toBe('invalid_credentials')
    expect(problem(await change(api, personsPassword)).code).toBe('locked_out')
    const elsewhere = await auth('', { email, password: personsPassword })
    expect(problem(elsewhere).code).toBe('locked_out')
    expect(await statusOf(api)).toBe(200)
  })
})
