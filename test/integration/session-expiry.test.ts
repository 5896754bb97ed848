import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpuAttack } from '../support/api.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'
import { until } from '../support/until.ts'

const sessionSeconds = 4

let service: Service
beforeAll(async () => {
  service = await startService({ TEMBLOR_SESSION_SECONDS: String(sessionSeconds) })
})
afterAll(() => service?.[Symbol.asyncDispose]())

test('a token works until its expiry and not after', async () => {
  const before = Date.now()
  const api = await service.signIn()
  const expiry = Date.parse(api.session.expires_at)
  expect(expiry - before).toBeGreaterThan((sessionSeconds - 1) * 1000)
  expect(expiry - before).toBeLessThan((sessionSeconds + 2) * 1000)

  expect((await api.send('GET', '/users/self')).status).toBe(200)
  const refused = await until('the token is refused', async () => {
    const answer = await api.send('GET', '/users/self')
    return answer.status === 200 ? undefined : { answer, at: Date.now() }
  })
  expect(problem(refused.answer)).toEqual({ status: 401, code: 'unauthenticated' })
  expect(refused.at).toBeGreaterThanOrEqual(expiry - 50)
  expect(refused.at).toBeLessThan(expiry + 1500)

  const attack = await api.send('POST', '/attacks/new', { json: cpuAttack('-l 1 -p 1') })
  expect(problem(attack)).toEqual({ status: 401, code: 'unauthenticated' })
  const fresh = await service.signIn()
  expect((await fresh.send('GET', '/attacks')).json).toEqual([])
})
