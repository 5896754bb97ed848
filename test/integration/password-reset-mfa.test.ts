import { afterAll, beforeAll, expect, test } from 'vitest'
import { request } from '../support/http.ts'
import { temblorJson } from '../support/command.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { codeOf, giveSecondFactor } from '../support/mfa.ts'
import { problem } from '../support/problem.ts'

const newPassword = 'a new password of theirs'
let controller: TestController

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const post = (path: string, form: Record<string, string>) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth${path}`, { form })

test('a new password leaves the second factor on, and ends a sign-in that was half done', async () => {
  const company = await controller.store.companies.addCompany('Acme')
  const email = newEmail('ann')
  const seed = await giveSecondFactor(controller.store, await controller.add(company.id, { email }))
  const half = await post('', { email, password: personsPassword })
  expect(problem(half)).toEqual({ status: 401, code: 'mfa_required' })
  const { ticket } = (half.json as { error: { details: { ticket: string } } }).error.details
  const { link } = await temblorJson<{ link: string }>(['admin', 'user', 'reset-password', email], {
    ...controller.environment,
    TEMBLOR_PUBLIC_URL: controller.baseUrl,
  })
  expect(link).toContain(`${controller.baseUrl}/password-reset#`)
  const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? ''
  expect((await post('/password', { email, code, password: newPassword })).status).toBe(200)
  const again = await post('', { email, password: newPassword })
  expect(problem(again)).toEqual({ status: 401, code: 'mfa_required' })
  const stale = await post('/mfa/auth', { email, ticket, token: codeOf(seed) })
  expect(problem(stale)).toEqual({ status: 401, code: 'invalid_credentials' })
  const fresh = (again.json as { error: { details: { ticket: string } } }).error.details.ticket
  expect((await post('/mfa/auth', { email, ticket: fresh, token: codeOf(seed) })).status).toBe(200)
})
