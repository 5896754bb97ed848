import { afterEach, beforeEach, expect, test } from 'vitest'
import { signIn } from '../support/api.ts'
import { request } from '../support/http.ts'
import { startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'

const given = {
  company: 'Acme',
  team: 'Payments',
  email: 'first@example.com',
  password: 'a password of their own',
}
const log: string[] = []
let controller: TestController

beforeEach(async () => {
  log.length = 0
  controller = await startTestController({}, (line) => void log.push(line))
})
afterEach(() => controller?.[Symbol.asyncDispose]())

/** What the log says to whoever reads it; undefined when it says nothing of that. */
const codeInLog = () =>
  log.map((line) => (JSON.parse(line) as { code?: string }).code).find((code) => code)
const isNeeded = async () => (await request(controller.baseUrl, 'GET', '/v1/setup')).json
const make = (json: object, baseUrl = controller.baseUrl) =>
  request(baseUrl, 'POST', '/v1/setup', { json })

test('the code in the log makes an owner with a team, once', async () => {
  expect(await isNeeded()).toEqual({ needed: true })
  const code = codeInLog()
  expect((await make({ ...given, code })).status).toBe(200)
  expect(await isNeeded()).toEqual({ needed: false })
  const owner = await signIn(controller.baseUrl, given)
  expect(await owner.get('/users/self')).toMatchObject({
    company_name: 'Acme',
    company_roles: ['COMPANY_OWNER'],
    team_memberships: [{ name: 'Payments', roles: ['TEAM_MANAGER'] }],
  })
  const again = { ...given, code, email: 'second@example.com' }
  expect(problem(await make(again))).toEqual({ status: 409, code: 'already_set_up' })
  const audit = await owner.get<{ items: { action: string }[] }>('/audit')
  expect(audit.items.map(({ action }) => action)).toContain('user.create')
})

test('nobody without the code becomes owner, and nothing is made', async () => {
  for (const code of ['wrong', '00000000-0000-4000-8000-000000000000'])
    expect(problem(await make({ ...given, code }))).toEqual({
      status: 401,
      code: 'invalid_credentials',
    })
  const code = codeInLog()
  for (const bad of [{ company: 'a|b' }, { team: '' }, { email: 'nobody' }, { password: 'short' }])
    expect(problem(await make({ ...given, code, ...bad })).code).toBe('invalid_body')
  expect(await isNeeded()).toEqual({ needed: true })
  expect(await controller.store.companies.allIds()).toEqual([])
  expect((await make({ ...given, code })).status).toBe(200)
})

test('of several at once one becomes owner, on whatever controller', async () => {
  await using other = await controller.further()
  const code = codeInLog()
  expect(
    new Set(log.flatMap((line) => (JSON.parse(line) as { code?: string }).code ?? [])),
  ).toEqual(new Set([code]))
  const answers = await Promise.all(
    [controller.baseUrl, other.baseUrl, controller.baseUrl, other.baseUrl].map((baseUrl, index) =>
      make({ ...given, code, company: `Acme ${index}`, email: `${index}@example.com` }, baseUrl),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await controller.store.companies.allIds()).toHaveLength(1)
})

test('where there is a user, the log has no code', async () => {
  const company = await controller.store.companies.addCompany('Acme')
  await controller.add(company.id, { email: 'somebody@example.com' })
  log.length = 0
  await using _other = await controller.further()
  expect(codeInLog()).toBeUndefined()
  expect(log.join('')).not.toContain('nobody can sign in')
})
