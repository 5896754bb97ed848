import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enrol, EnrolmentPostponed, obtainWhenAdmitted } from '../../agent/enrol.ts'
import type { Team } from '../../controller/store/companies.ts'
import { parseJoinLine, type JoinLine } from '../../shared/join-line.ts'
import { startTestController, type TestController } from '../support/in-process.ts'
import { everythingIn } from '../support/redis.ts'
import { temporaryDir } from '../support/service.ts'
import { joinStreamAgent } from '../support/stream-agent.ts'

let controller: TestController
let team: Team
let line: JoinLine

beforeAll(async () => {
  controller = await startTestController({ TEMBLOR_REGISTRATIONS_PER_SECOND: '4' })
  const company = await controller.store.companies.addCompany('Acme')
  team = await controller.store.companies.addTeam(company, 'Payments')
  line = parseJoinLine(await controller.joinLine(team))
})
afterAll(() => controller?.[Symbol.asyncDispose]())

const isPostponed = (reason: unknown) => reason instanceof EnrolmentPostponed

/** So many hosts that join at once, each once: who was let in, and who was told to come back. */
async function joinAtOnce(count: number, join: JoinLine) {
  const ids = Array.from({ length: count }, () => randomUUID())
  const results = await Promise.allSettled(ids.map((id) => enrol(temporaryDir(), id, join)))
  const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  return {
    admitted: ids.filter((_, i) => results[i]?.status === 'fulfilled'),
    sentAway: ids.filter((_, i) => results[i]?.status === 'rejected'),
    toldMs: refused.map((reason) => (reason as EnrolmentPostponed).retryAfterMs ?? 0),
    refused,
  }
}

test('of hosts that join at once so many are let in a second; nothing is done for the others, and they are told when', async () => {
  const { admitted, sentAway, toldMs, refused } = await joinAtOnce(16, line)
  expect(admitted.length).toBeGreaterThan(0)
  expect(sentAway.length).toBeGreaterThan(2)
  expect(refused.every(isPostponed)).toBe(true)
  expect(Math.min(...toldMs)).toBeGreaterThanOrEqual(250)
  expect(Math.max(...toldMs)).toBeGreaterThanOrEqual(500)
  const kept = (await everythingIn(controller.redis)).join()
  expect(admitted.every((id) => kept.includes(id))).toBe(true)
  expect(sentAway.some((id) => kept.includes(id))).toBe(false)
})

test('who guesses secrets is sent away alike, and keeps out no agent that has a certificate', async () => {
  const agent = await joinStreamAgent('h1', await controller.joinLine(team))
  const { sentAway, refused } = await joinAtOnce(16, { ...line, secret: 'a guess' })
  expect(sentAway).toHaveLength(16)
  expect(refused.filter(isPostponed).length).toBeGreaterThan(2)
  await using session = agent.open()
  await session.hear(({ welcome }) => welcome)
})

test('hosts that wait as they are told all join', async () => {
  const said: string[] = []
  const join = () =>
    obtainWhenAdmitted(temporaryDir(), randomUUID(), line, (text) => said.push(text))
  expect(await Promise.all(Array.from({ length: 8 }, join))).toHaveLength(8)
  expect(said.join()).toMatch(/asks again in \d+ s/)
})
