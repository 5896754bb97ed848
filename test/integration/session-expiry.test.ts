import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Company, Team } from '../../controller/store/companies.ts'
import { cpuAttack } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { problem } from '../support/problem.ts'
import { until } from '../support/until.ts'

const sessionSeconds = 4

let controller: TestController
let company: Company
let team: Team
beforeAll(async () => {
  controller = await startTestController({ TEMBLOR_SESSION_SECONDS: String(sessionSeconds) })
  company = await controller.store.companies.addCompany('Acme')
  team = await controller.store.companies.addTeam(company, 'Payments')
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const signIn = () => {
  const teams = { [team.id]: ['TEAM_USER'] as const }
  return controller.join(company, { email: newEmail('ann'), teams })
}

test('a token works until its expiry and not after', async () => {
  const before = Date.now()
  const api = await signIn()
  const after = Date.now()
  const expiry = Date.parse(api.session.expires_at)
  expect(expiry - before).toBeGreaterThan((sessionSeconds - 1) * 1000)
  expect(expiry - after).toBeLessThan((sessionSeconds + 1) * 1000)

  expect((await api.send('GET', '/users/self')).status).toBe(200)
  let acceptedAt = 0
  const refused = await until('the token is refused', async () => {
    const at = Date.now()
    const answer = await api.send('GET', '/users/self')
    if (answer.status !== 200) return { answer, at: Date.now() }
    acceptedAt = at
    return undefined
  })
  expect(problem(refused.answer)).toEqual({ status: 401, code: 'unauthenticated' })
  expect(refused.at).toBeGreaterThanOrEqual(expiry - 50)
  // By when it was sent: when it is answered says how busy the machine is.
  expect(acceptedAt).toBeLessThan(expiry + 50)

  const attack = await api.send('POST', '/attacks/new', { json: cpuAttack('-l 1 -p 1') })
  expect(problem(attack)).toEqual({ status: 401, code: 'unauthenticated' })
  const fresh = await signIn()
  expect((await fresh.send('GET', '/attacks')).json).toEqual([])
})
