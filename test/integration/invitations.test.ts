import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { Invitation } from '../../shared/api/invitations.ts'
import type { User } from '../../shared/api/users.ts'
import type { Api } from '../support/api.ts'
import { request } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

const password = 'a password of their own'
const invalid = { status: 401, code: 'invalid_credentials' }
let controller: TestController
let company: Company
let manager: Api

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())

beforeEach(async () => {
  company = await controller.store.companies.addCompany(`Company ${randomUUID()}`)
  const team = await controller.store.companies.addTeam(company, 'Payments')
  manager = await controller.join(company, {
    email: newEmail('manager'),
    roles: ['COMPANY_MANAGER'],
    teams: { [team.id]: ['TEAM_VIEWER'] },
  })
})

const invite = async (email: string) => {
  const answer = await manager.send('POST', '/users/invite', { form: { email, source_detail: '' } })
  expect(answer.status).toBe(200)
  return answer.json as Invitation
}
const codeOf = (invitation: Invitation) =>
  new URLSearchParams(new URL(invitation.accept_url ?? '').hash.slice(1)).get('code') ?? ''
const accept = (email: string, code: string, secret = password, companyId = company.id) =>
  request(controller.baseUrl, 'POST', `/v1/companies/${companyId}/users`, {
    json: { email, code, password: secret },
  })
const signIn = (email: string, secret = password) =>
  request(controller.baseUrl, 'POST', '/v1/users/auth', { form: { email, password: secret } })
const users = (state = '') => manager.get<User[]>(`/companies/${company.id}/users${state}`)
const canList = () => controller.store.members.list(company.id)

test('whoever is invited joins with the link, once, as a user of company and team', async () => {
  const email = newEmail('new')
  const invitation = await invite(email)
  expect(invitation).toMatchObject({ identifier: email, mailed: false })
  expect(invitation.accept_url).toContain(`${controller.baseUrl}/invitation#`)
  const listed = (await canList()).length
  const accepted = await accept(email, codeOf(invitation))
  expect(accepted).toMatchObject({
    status: 200,
    json: { identifier: email, company_id: company.id, company_name: company.name },
  })
  expect((await canList()).length).toBe(listed + 1)
  const sessions = (await signIn(email)).json as { teams: { name: string; roles: string[] }[] }[]
  expect(sessions).toMatchObject([{ teams: [{ name: 'Payments', roles: ['TEAM_USER'] }] }])
  const found = await controller.store.users.findByEmail(email)
  expect(await controller.store.members.find(company.id, found?.id ?? '')).toMatchObject({
    roles: ['COMPANY_USER'],
    invitedBy: manager.session.identifier,
  })
  expect(problem(await accept(email, codeOf(invitation)))).toEqual(invalid)
})

test('twenty at once: one joins', async () => {
  const email = newEmail('many')
  const code = codeOf(await invite(email))
  const answers = await Promise.all(Array.from({ length: 20 }, () => accept(email, code)))
  expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  expect((await signIn(email)).status).toBe(200)
})

test('a wrong code, address or company, and a withdrawn or replaced invitation: all the same', async () => {
  const email = newEmail('wrong')
  const replaced = codeOf(await invite(email))
  const code = codeOf(await invite(email))
  const other = await controller.store.companies.addCompany(`Other ${randomUUID()}`)
  const answers = [
    await accept(email, 'wrong'),
    await accept(email, replaced),
    await accept(newEmail('another'), code),
    await accept(email, code, password, other.id),
  ]
  const stable = answers.map((one) => one.text.replaceAll(/"requestId":"[^"]+"/g, ''))
  expect(answers.map(problem)).toEqual(answers.map(() => invalid))
  expect(new Set(stable).size).toBe(1)
  expect((await manager.send('DELETE', `/users/invite/${email}`)).text).toBe('Success')
  expect(problem(await accept(email, code))).toEqual(invalid)
  expect((await manager.send('DELETE', `/users/invite/${email}`)).status).toBe(404)
  expect((await accept(email, codeOf(await invite(email)))).status).toBe(200)
})

test('who has a user already proves it: the inviter takes over nobody', async () => {
  const elsewhere = await controller.store.companies.addCompany(`Elsewhere ${randomUUID()}`)
  const email = newEmail('known')
  await controller.join(elsewhere, { email })
  const code = codeOf(await invite(email))
  expect(problem(await accept(email, code, 'chosen by the inviter'))).toEqual(invalid)
  expect((await signIn(email, personsPassword)).status).toBe(200)
  expect((await accept(email, code, personsPassword)).status).toBe(200)
  const sessions = (await signIn(email, personsPassword)).json as { company_name: string }[]
  expect(sessions.map((one) => one.company_name).toSorted()).toEqual(
    [company.name, elsewhere.name].toSorted(),
  )
})

const ask = (address: string) => manager.send('POST', '/users/invite', { form: { email: address } })

test('who is in the company is not invited; who was revoked is reactivated instead', async () => {
  const email = newEmail('there')
  const there = await controller.join(company, { email })
  expect(problem(await ask(email))).toEqual({ status: 409, code: 'already_member' })
  await controller.store.members.change(
    company.id,
    (await controller.store.users.findByEmail(email))?.id ?? '',
    (now) => ({ ...now, state: 'REVOKED' }),
  )
  const again = await ask(email)
  expect(problem(again)).toEqual({ status: 409, code: 'already_member' })
  expect(again.text).toContain('Reactivate')
  expect((await there.send('GET', '/users/self')).status).toBe(401)
  // Whoever lists people in a terminal must not have their addresses obeyed by it.
  for (const none of ['no address', '\u001B[2Jann@example.com', 'ann@example\u009B2J.com'])
    expect(problem(await ask(none))).toEqual({ status: 400, code: 'invalid_body' })
})

test('people are invited to the company in one go, all or none, and are listed as invited', async () => {
  const emails = [newEmail('a'), newEmail('b')]
  const path = `/companies/${company.id}/invites`
  const json = [{ identifier: emails[0] }, { email: emails[1] }]
  const bad = await manager.send('POST', path, { json: [...json, { email: 'none' }] })
  expect(problem(bad)).toEqual({ status: 400, code: 'invalid_body' })
  expect((await users()).filter((one) => one.state === 'INVITED')).toEqual([])
  const good = await manager.send('POST', path, { json })
  expect((good.json as Invitation[]).map((one) => one.identifier)).toEqual(emails)
  const listed = (await users()).filter((one) => one.state === 'INVITED')
  expect(listed.map((one) => one.identifier).toSorted()).toEqual(emails.toSorted())
  expect(listed.map((one) => one.user_id)).toEqual([null, null])
  expect((await manager.send('DELETE', `${path}/${emails[0]}`)).text).toBe('Success')
  expect((await users()).filter((one) => one.state === 'INVITED').length).toBe(1)
})

test('a short password is refused and the invitation stays', async () => {
  const email = newEmail('short')
  const code = codeOf(await invite(email))
  expect(problem(await accept(email, code, 'seven77'))).toEqual({
    status: 400,
    code: 'invalid_body',
  })
  expect((await accept(email, code)).status).toBe(200)
})

test('an invitation is worth what its inviter may do now', async () => {
  const email = newEmail('late')
  const code = codeOf(await invite(email))
  const id = (await controller.store.users.findByEmail(manager.session.identifier))?.id ?? ''
  const set = (change: object) =>
    controller.store.members.change(company.id, id, (now) => ({ ...now, ...change }))
  await set({ state: 'REVOKED' })
  expect(problem(await accept(email, code))).toEqual(invalid)
  await set({ state: 'ACTIVE', roles: ['COMPANY_USER'] })
  expect(problem(await accept(email, code))).toEqual(invalid)
  expect((await signIn(email)).status).toBe(401)
  await set({ roles: ['COMPANY_MANAGER'] })
  expect((await accept(email, code)).status).toBe(200)
})

test('who was revoked does not come back by an invitation from before', async () => {
  const email = newEmail('revoked')
  const code = codeOf(await invite(email))
  const id = await controller.add(company.id, { email })
  const set = (state: 'ACTIVE' | 'REVOKED') =>
    controller.store.members.change(company.id, id, (now) => ({ ...now, state }))
  await set('REVOKED')
  expect(problem(await accept(email, code, personsPassword))).toEqual(invalid)
  expect((await signIn(email, personsPassword)).status).toBe(401)
  await set('ACTIVE')
  expect((await signIn(email, personsPassword)).status).toBe(200)
})
