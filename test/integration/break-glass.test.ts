import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Company, Team } from '../../controller/store/companies.ts'
import type { AuditEntry } from '../../shared/api/audit.ts'
import { defaultAuthPreferences } from '../../shared/api/auth-preferences.ts'
import type { Api } from '../support/api.ts'
import { temblor, temblorJson } from '../support/command.ts'
import { request } from '../support/http.ts'
import {
  newEmail,
  personsPassword,
  startTestController,
  type TestController,
} from '../support/in-process.ts'
import { giveSecondFactor } from '../support/mfa.ts'
import { problem } from '../support/problem.ts'
import { noSession, renewerOf, type Renewer } from '../support/renewal.ts'

let controller: TestController
let company: Company
let team: Team
let ann: Renewer

beforeAll(async () => {
  controller = await startTestController()
})
afterAll(() => controller?.[Symbol.asyncDispose]())
beforeEach(async () => {
  company = await controller.store.companies.addCompany(newEmail('Company'))
  team = await controller.store.companies.addTeam(company, 'Payments')
  ann = renewerOf(controller, newEmail('ann'))
  await controller.add(company.id, { email: ann.email, teams: { [team.id]: ['TEAM_USER'] } })
})

const admin = (...args: string[]) => temblor(['admin', ...args], controller.environment)
const adminJson = (...args: string[]) =>
  temblorJson<Record<string, unknown>>(['admin', ...args], controller.environment)
const signIn = (password = personsPassword) =>
  request(controller.baseUrl, 'POST', '/v1/users/auth', { form: { email: ann.email, password } })

/** The last entry of the company's audit. */
async function lastEntry(): Promise<AuditEntry | undefined> {
  const owner: Api = await controller.join(company, {
    email: newEmail('auditor'),
    roles: ['COMPANY_ADMIN'],
  })
  const { items } = await owner.get<{ items: AuditEntry[] }>('/audit')
  return items.find(({ actor }) => actor.kind === 'admin')
}

test('everybody of a company is listed with state, roles and teams', async () => {
  const owner = newEmail('owner')
  await controller.add(company.id, { email: owner, roles: ['COMPANY_OWNER'] })
  expect(await adminJson('user', 'list', '--company', company.name)).toEqual({
    [ann.email]: { state: 'ACTIVE', roles: ['COMPANY_USER'], teams: ['Payments (TEAM_USER)'] },
    [owner]: { state: 'ACTIVE', roles: ['COMPANY_OWNER'], teams: [] },
  })
  expect((await admin('user', 'list', '--company', company.name)).stdout).toBe(
    `${ann.email}: state ACTIVE; roles COMPANY_USER; teams Payments (TEAM_USER)\n` +
      `${owner}: state ACTIVE; roles COMPANY_OWNER\n`,
  )
})

test('a user is made owner again, and acts as one with the next request', async () => {
  const session = await ann.signIn()
  const change = () =>
    ann.api(session).send('POST', `/companies/${company.id}/auth/prefs`, { json: {} })
  expect(problem(await change())).toEqual({ status: 403, code: 'forbidden' })
  const made = await admin('user', 'make-owner', ann.email, '--company', company.name)
  expect(made).toMatchObject({ code: 0 })
  expect((await change()).status).toBe(200)
  expect(await lastEntry()).toMatchObject({
    action: 'user.roles',
    target: { kind: 'user', name: ann.email },
    detail: { old: { roles: ['COMPANY_USER'] }, new: { roles: ['COMPANY_USER', 'COMPANY_OWNER'] } },
  })
})

test('a revoked user is made owner, and signs in anew', async () => {
  const session = await ann.signIn()
  const user = await controller.store.users.findByEmail(ann.email)
  await controller.store.members.change(company.id, user?.id ?? '', (now) => ({
    ...now,
    state: 'REVOKED',
  }))
  expect((await signIn()).status).toBe(401)
  const made = await adminJson('user', 'make-owner', ann.email, '--company', company.name)
  expect(made).toMatchObject({ state: 'ACTIVE', roles: ['COMPANY_USER', 'COMPANY_OWNER'] })
  expect(await ann.statusOf(session)).toBe(401)
  expect(await ann.statusOf(await ann.signIn())).toBe(200)
})

test('a company that shut everybody out lets them in with the password again', async () => {
  await controller.store.authPreferences.change(company.id, (now) => ({
    ...now,
    passwordEnabled: false,
    mfaRequired: true,
    samlForced: true,
    apiKeysEnabled: false,
  }))
  expect((await signIn()).status).toBe(401)
  expect(await admin('company', 'reset-sign-in', company.name)).toMatchObject({ code: 0 })
  expect((await signIn()).status).toBe(200)
  const preferences = await controller.store.authPreferences.read(company.id)
  expect(preferences).toEqual({ ...defaultAuthPreferences, apiKeysEnabled: false })
  expect(await lastEntry()).toMatchObject({
    action: 'company.preferences',
    detail: { old: { passwordEnabled: false, mfaRequired: true } },
  })
})

test('all sessions of a user are ended, with their renew tokens; keys and others go on', async () => {
  const sessions = [await ann.signIn(), await ann.signIn('?getCompanySession=true')] as const
  const bob = renewerOf(controller, newEmail('bob'))
  await controller.add(company.id, { email: bob.email })
  const other = await bob.signIn()
  const key = await ann.api(sessions[0]).send('POST', '/apikeys', { json: { identifier: 'ci' } })
  expect(await admin('user', 'end-sessions', ann.email)).toMatchObject({ code: 0 })
  for (const session of sessions) {
    expect(await ann.statusOf(session)).toBe(401)
    expect(problem(await ann.renew(session))).toEqual(noSession)
  }
  expect(await ann.statusOf({ ...sessions[0], header: `Key ${key.text}` })).toBe(200)
  expect(await bob.statusOf(other)).toBe(200)
  expect(await ann.statusOf(await ann.signIn())).toBe(200)
  expect(await lastEntry()).toMatchObject({ action: 'user.end-sessions' })
})

test('who lost the second factor signs in with the password alone', async () => {
  const session = await ann.signIn()
  const user = await controller.store.users.findByEmail(ann.email)
  await giveSecondFactor(controller.store, user?.id ?? '')
  expect(problem(await signIn()).code).toBe('mfa_required')
  expect(await adminJson('user', 'disable-mfa', ann.email)).toMatchObject({ was_on: true })
  expect((await signIn()).status).toBe(200)
  expect(await ann.statusOf(session)).toBe(401)
  expect(await lastEntry()).toMatchObject({ action: 'mfa.force-disable', actor: { kind: 'admin' } })
})

test('who is locked out is let in at once', async () => {
  for (let n = 0; n < 5; n += 1) await signIn('wrong')
  expect(problem(await signIn()).code).toBe('locked_out')
  expect(await admin('user', 'unlock', ann.email.toUpperCase())).toMatchObject({ code: 0 })
  expect((await signIn()).status).toBe(200)
  expect(await lastEntry()).toMatchObject({ action: 'user.unlock' })
})

test('an address that is locked out is let in at once', async () => {
  const flood = Array.from({ length: 25 }, async () => {
    for (let n = 0; n < 4; n += 1) {
      const form = { email: newEmail('nobody'), password: 'wrong' }
      await request(controller.baseUrl, 'POST', '/v1/users/auth', { form })
    }
  })
  await Promise.all(flood)
  expect(problem(await signIn()).code).toBe('locked_out')
  expect(await admin('user', 'unlock', '--address', '127.0.0.1')).toMatchObject({ code: 0 })
  expect((await signIn()).status).toBe(200)
})

test.each([
  ['user', 'make-owner', 'nobody@example.com', '--company', 'COMPANY'],
  ['user', 'make-owner', 'ANN', '--company', 'Nowhere'],
  ['user', 'make-owner', 'ANN'],
  ['user', 'list', '--company', 'Nowhere'],
  ['user', 'end-sessions', 'nobody@example.com'],
  ['user', 'unlock'],
  ['company', 'reset-sign-in', 'Nowhere'],
])('%s %s %s is refused in plain words', async (...args) => {
  const real = args.map((one) => one.replace('COMPANY', company.name).replace('ANN', ann.email))
  const ended = await admin(...real)
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/nobody@example.com|Nowhere|company|address/)
  expect(ended.stderr).not.toMatch(/ at .*\.ts:\d+/)
})
