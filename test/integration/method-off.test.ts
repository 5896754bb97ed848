import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Company } from '../../controller/store/companies.ts'
import type { MfaSecret } from '../../shared/api/mfa.ts'
import { temblorJson } from '../support/command.ts'
import { request, type Answer } from '../support/http.ts'
import {
  newEmail,
  personsPassword as password,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { codeOf, giveSecondFactor } from '../support/mfa.ts'
import { renewerOf } from '../support/renewal.ts'

/** A company that does not use passwords is entered with one nowhere; each with the twin where it does. */

let controller: TestController
let company: Company
let email: string
let userId: string

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())
beforeEach(async () => {
  company = await controller.store.companies.addCompany(newEmail('Company'))
  email = newEmail('ann')
  userId = await controller.add(company.id, { email })
})

const use = (passwordEnabled: boolean) =>
  controller.store.authPreferences.change(company.id, (now) => ({ ...now, passwordEnabled }))
const post = (path: string, form: Record<string, string>) =>
  request(controller.baseUrl, 'POST', `/v1/users/auth${path}`, { form })
const secondFactor = () => giveSecondFactor(controller.store, userId)

async function resetCode(): Promise<string> {
  const environment = { ...controller.environment, TEMBLOR_PUBLIC_URL: controller.baseUrl }
  const made = await temblorJson<{ link: string }>(
    ['admin', 'user', 'reset-password', email],
    environment,
  )
  return new URLSearchParams(new URL(made.link).hash.slice(1)).get('code') ?? ''
}

/** What is prepared while passwords are in use, and then tried twice: without and with them. */
const entries: Record<string, () => Promise<() => Promise<Answer>>> = {
  'the sign-in': async () => () => post('', { email, password }),
  'the sign-in to the company': async () => () =>
    post('?getCompanySession=true', { email, password }),
  'the sign-in by its name': async () => () =>
    post('', { email, password, companyName: company.name }),
  'a code besides the password': async () => {
    const seed = await secondFactor()
    return () => post('/mfa/auth', { email, password, token: codeOf(seed) })
  },
  'a code besides a ticket': async () => {
    const seed = await secondFactor()
    const asked = await post('', { email, password })
    const { error } = asked.json as { error: { details: { ticket: string } } }
    const { ticket } = error.details
    return () => post('/mfa/auth', { email, ticket, token: codeOf(seed) })
  },
  'setting up a second factor': async () => () => post('/mfa/enable', { email, password }),
  'the first code of a second factor': async () => {
    const { secretKey } = (await post('/mfa/enable', { email, password })).json as MfaSecret
    return () => post('/mfa/validate', { email, token: codeOf(secretKey) })
  },
  'switching a second factor off': async () => {
    const seed = await secondFactor()
    return () => post('/mfa/disable', { email, password, token: codeOf(seed) })
  },
  'a reset of the password': async () => {
    const code = await resetCode()
    return () => post('/password', { email, code, password: 'another long password' })
  },
  'a change of the password': async () => {
    const ann = renewerOf(controller, email)
    const api = ann.api(await ann.signIn())
    const form = { currentPassword: password, newPassword: 'another long password' }
    return () => api.send('PUT', '/users/auth/password', { form })
  },
}

test.each(Object.keys(entries))('%s', async (name) => {
  const enter = await (entries[name] as (typeof entries)[string])()
  await use(false)
  const refused = await enter()
  expect([401, 403]).toContain(refused.status)
  expect(refused.text).not.toMatch(/secretKey|"token"|renew_token/)
  await use(true)
  expect(await enter()).toMatchObject({ status: 200 })
})
