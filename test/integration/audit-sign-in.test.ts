import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../../shared/api/sessions.ts'
import { apiOf, signIn, type Api } from '../support/api.ts'
import { auditOf } from '../support/audit.ts'
import { request } from '../support/http.ts'
import {
  newEmail,
  personsPassword as password,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { until } from '../support/until.ts'

const newPassword = 'another horse, another battery'
let controller: TestController
let owner: Api
let company: { id: string; name: string }
/** Nothing of this may be in any entry. */
const secrets: string[] = [password, newPassword, 'wrong-password-1', 'wrong-password-2']

beforeAll(async () => {
  controller = await startTestController()
  company = await controller.store.companies.addCompany('Acme')
  owner = await controller.join(company, { email: newEmail('owner'), roles: ['COMPANY_OWNER'] })
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const { entries, leaves, leavesOne } = auditOf(() => owner)
const secretsOf = ({ token, renew_token: renew, header }: Session) => [token, renew, header]
const login = (email: string, secret: string) =>
  request(controller.baseUrl, 'POST', '/v1/users/auth', { form: { email, password: secret } })
/** The newest entries of the installation's own chain. */
const ofInstallation = () => controller.store.audit.read(undefined, { from: 1, to: 1_000 })

test('and out, with the reason that no answer tells', async () => {
  await controller.add(company.id, { email: 'ann@example.com' })
  const good = await leavesOne(async () => login('ann@example.com', password))
  expect(good).toMatchObject({
    action: 'session.login',
    result: 'ok',
    code: null,
    actor: { kind: 'user', id: expect.any(String), name: 'ann@example.com' },
    from: '127.0.0.1',
    company_id: company.id,
  })
  const wrong = await leavesOne(() => login(' ANN@example.com', 'wrong-password-1'))
  expect(wrong).toMatchObject({
    result: 'refused',
    code: 'wrong_password',
    actor: { kind: 'claimed', id: good.actor.id, name: 'ann@example.com' },
  })
  const [session] = (await login('ann@example.com', password)).json as Session[]
  secrets.push(...secretsOf(session as Session))
  const api = apiOf(controller.baseUrl, session as Session)
  expect(await leavesOne(() => api.send('DELETE', '/users/auth'))).toMatchObject({
    action: 'session.logout',
    actor: { name: 'ann@example.com' },
  })
})

test('of somebody who is not known is told to nobody but the installation', async () => {
  const before = await entries()
  await login('nobody@example.com', 'wrong-password-1')
  // Another entry follows, so that one of the failed login would be there as well.
  await leavesOne(() => login('ann@example.com', 'wrong-password-2'))
  const after = (await entries()).slice(0, -before.length)
  expect(after.map(({ actor }) => actor.name)).toEqual(['ann@example.com'])
  expect(await ofInstallation()).toMatchObject([
    { code: 'unknown_user', actor: { kind: 'claimed', id: null, name: 'nobody@example.com' } },
  ])
  // People type the password into the wrong field.
  await login('wrong-password-2', 'wrong-password-1')
  await until('it is told', async () => (await ofInstallation()).length === 2)
  expect((await ofInstallation())[1]?.actor.name).toBe('(not an email address)')
})

test('too often', async () => {
  await controller.add(company.id, { email: 'locked@example.com' })
  const found = await leaves(async () => {
    for (let round = 0; round < 6; round += 1) await login('locked@example.com', 'wrong-password-1')
  }, 6)
  expect(found.map(({ code }) => code)).toEqual([
    ...Array<string>(5).fill('wrong_password'),
    'locked_out',
  ])
})

test('a new password', async () => {
  const api = await signIn(controller.baseUrl, { email: 'ann@example.com', password })
  secrets.push(...secretsOf(api.session))
  const change = (currentPassword: string) =>
    api.send('PUT', '/users/auth/password', { form: { currentPassword, newPassword } })
  expect(await leavesOne(() => change('wrong-password-1'))).toMatchObject({
    action: 'session.password',
    result: 'refused',
    code: 'invalid_credentials',
  })
  expect(await leavesOne(() => change(password))).toMatchObject({ result: 'ok' })
})

test('no entry has a secret in it', async () => {
  const text = JSON.stringify([await entries(), await ofInstallation()])
  for (const secret of secrets) expect(text.includes(secret)).toBe(false)
})
