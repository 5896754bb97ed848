import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CompanyRole } from '../../shared/roles.ts'
import type { Api } from '../support/api.ts'
import { request } from '../support/http.ts'
import {
  newEmail,
  personsPassword as password,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { codeOf, firstSession, forgetTries, giveSecondFactor, outcome } from '../support/mfa.ts'
import { problem } from '../support/problem.ts'

let controller: TestController
let company: { id: string; name: string }
let email: string
let userId: string

beforeAll(async () => {
  controller = await startTestController()
})
beforeEach(async () => {
  await forgetTries(controller.redis)
  company = await controller.store.companies.addCompany(newEmail('company'))
  email = newEmail('ann')
  userId = await controller.add(company.id, { email })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const post = (path: string, form: Record<string, string>) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth${path}`, { form })
const signIn = () => post('', { email, password })
const statusOf = async (api: Api) => (await api.send('GET', '/users/self')).status
const someone = (name: string, roles: readonly CompanyRole[]) =>
  controller.join(company, { email: newEmail(name), roles })
const force = (api: Api, who: string) =>
  api.send('POST', '/users/auth/mfa/forceDisable', { form: { email: who } })

describe('switching it off', () => {
  test('takes the password and a code, and ends every session', async () => {
    const session = firstSession(controller.baseUrl, await signIn())
    const seed = await giveSecondFactor(controller.store, userId)
    const token = codeOf(seed)
    const headers = { authorization: session.session.header }
    const disable = (form: Record<string, string>) =>
      request(controller.baseUrl, 'POST', '/v1/users/auth/mfa/disable', { form, headers })
    expect(problem(await disable({ email, token })).status).toBe(400)
    expect(problem(await disable({ email, password })).status).toBe(400)
    expect(problem(await disable({ email, password: '', token })).status).toBe(400)
    expect(outcome(await disable({ email, password, token: '000000' }))).toBe('invalid_credentials')
    expect(await statusOf(session)).toBe(200)
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => disable({ email, password, token })),
    )
    expect(answers.filter((answer) => answer.text === 'Success').length).toBe(1)
    expect(await statusOf(session)).toBe(401)
    expect(outcome(await signIn())).toBe('in')
    await forgetTries(controller.redis)
    expect(outcome(await post('/mfa/auth', { email, password, token: codeOf(seed, 1) }))).toBe(
      'invalid_credentials',
    )
  })

  test('for somebody else: admins for whoever holds no more than they, not for themselves', async () => {
    const isOn = async (id: string) => await controller.store.mfa.isOn(id)
    const session = firstSession(controller.baseUrl, await signIn())
    await giveSecondFactor(controller.store, userId)
    const ownersEmail = newEmail('owner')
    const ownerId = await controller.add(company.id, {
      email: ownersEmail,
      roles: ['COMPANY_OWNER'],
    })
    await giveSecondFactor(controller.store, ownerId)
    const admin = await someone('admin', ['COMPANY_ADMIN'])
    const manager = await someone('manager', ['COMPANY_MANAGER'])
    const owner = await someone('boss', ['COMPANY_OWNER'])

    expect(problem(await force(manager, email)).code).toBe('forbidden')
    expect(problem(await force(admin, ownersEmail)).code).toBe('forbidden')
    expect(problem(await force(admin, admin.session.identifier)).code).toBe('forbidden')
    expect(problem(await force(admin, newEmail('nobody'))).code).toBe('user_not_found')
    expect([await isOn(userId), await isOn(ownerId), await statusOf(session)]).toEqual([
      true,
      true,
      200,
    ])
    expect(await force(admin, email)).toMatchObject({ status: 200, text: 'Success' })
    expect([await isOn(userId), await statusOf(session)]).toEqual([false, 401])
    expect((await force(owner, ownersEmail)).status).toBe(200)
    expect(await isOn(ownerId)).toBe(false)
  })

  test('for somebody who holds more in another company takes somebody there', async () => {
    const admin = await someone('admin', ['COMPANY_ADMIN'])
    const other = await controller.store.companies.addCompany(newEmail('other'))
    await controller.add(other.id, { email, roles: ['COMPANY_OWNER'] })
    await giveSecondFactor(controller.store, userId)
    expect(problem(await force(admin, email)).code).toBe('forbidden')
    const adminsEmail = admin.session.identifier
    await controller.add(other.id, { email: adminsEmail, roles: ['COMPANY_OWNER'] })
    expect((await force(admin, email)).status).toBe(200)
  })

  test('whether it is on is for owners and admins to see', async () => {
    const admin = await someone('admin', ['COMPANY_ADMIN'])
    const manager = await someone('manager', ['COMPANY_MANAGER'])
    const path = `/users/auth/mfa/${email}/enabled`
    expect((await admin.send('GET', path)).json).toBe(false)
    await giveSecondFactor(controller.store, userId)
    expect((await admin.send('GET', path)).json).toBe(true)
    expect(problem(await manager.send('GET', path)).code).toBe('forbidden')
    const stranger = newEmail('stranger')
    const other = await controller.store.companies.addCompany(newEmail('other'))
    await controller.add(other.id, { email: stranger })
    const strangers = await admin.send('GET', `/users/auth/mfa/${stranger}/enabled`)
    expect(problem(strangers).code).toBe('user_not_found')
  })
})
