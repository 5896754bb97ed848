import { randomUUID } from 'node:crypto'
import { status, type ServiceError } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retryAfterMsOf } from '../../agent/backoff.ts'
import { fetchPinnedCa } from '../../agent/ca-pin.ts'
import { createCertificateRequest } from '../../agent/certificate-request.ts'
import { openChannel } from '../../agent/channel.ts'
import type { Team } from '../../controller/store/companies.ts'
import { parseJoinLine, type JoinLine } from '../../shared/join-line.ts'
import { startTestController, type TestController } from '../support/in-process.ts'
import { everythingIn } from '../support/redis.ts'
import { joinStreamAgent } from '../support/stream-agent.ts'
import { until } from '../support/until.ts'

let controller: TestController
let team: Team
let line: JoinLine
let client: ReturnType<typeof openChannel>
let csrPem: string

beforeAll(async () => {
  controller = await startTestController({ TEMBLOR_REGISTRATIONS_PER_SECOND: '4' })
  const company = await controller.store.companies.addCompany('Acme')
  team = await controller.store.companies.addTeam(company, 'Payments')
  line = parseJoinLine(await controller.joinLine(team))
  client = openChannel(line.address, await fetchPinnedCa(line.address, line.caSha256))
  csrPem = (await createCertificateRequest('x', team.id)).csrPem
})
afterAll(async () => {
  client?.close()
  await controller?.[Symbol.asyncDispose]()
})

/** How one host that asks for a certificate is answered; undefined when it gets one. */
function ask(instanceId: string, teamSecret: string): Promise<ServiceError | undefined> {
  return new Promise((resolve) => {
    client.enrol({ teamId: team.id, teamSecret, instanceId, csrPem }, (error) =>
      resolve(error ?? undefined),
    )
  })
}

/** The answers to so many hosts at once. */
async function askAtOnce(count: number, secret: string) {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const id = randomUUID()
      return { id, error: await ask(id, secret) }
    }),
  )
}

test('of hosts that join at once so many are let in a second; nothing is done for the others, and they are told when', async () => {
  const answers = await askAtOnce(40, line.secret)
  const admitted = answers.filter(({ error }) => !error)
  const sentAway = answers.filter(({ error }) => error?.code === status.UNAVAILABLE)
  expect(admitted.length).toBeGreaterThanOrEqual(4)
  expect(sentAway.length).toBeGreaterThan(10)
  expect(admitted.length + sentAway.length).toBe(40)
  const toldMs = sentAway.map(({ error }) => (error && retryAfterMsOf(error)) ?? 0)
  expect(Math.min(...toldMs)).toBeGreaterThanOrEqual(250)
  expect(Math.max(...toldMs)).toBeGreaterThan(2_000)
  const kept = (await everythingIn(controller.redis)).join()
  expect(admitted.every(({ id }) => kept.includes(id))).toBe(true)
  expect(sentAway.some(({ id }) => kept.includes(id))).toBe(false)
})

test('who guesses secrets is sent away alike, and keeps out no agent that has a certificate', async () => {
  const agent = await joinStreamAgent('h1', await controller.joinLine(team))
  const codes = (await askAtOnce(40, 'a guess')).map(({ error }) => error?.code)
  expect(codes.filter((code) => code === status.UNAVAILABLE).length).toBeGreaterThan(10)
  expect(new Set(codes)).not.toContain(undefined)
  await using session = agent.open()
  await session.hear(({ welcome }) => welcome)
})

test('a host that asks while storage is away is not refused but told to come back, and is let in then', async () => {
  const id = randomUUID()
  const pid = Number(/process_id:(\d+)/.exec(await controller.redis.info('server'))?.[1])
  process.kill(pid, 'SIGSTOP')
  try {
    const error = await until('it is told why', async () => {
      const told = await ask(id, line.secret)
      return told?.details.includes('Storage is away') ? told : undefined
    })
    expect(error.code).toBe(status.UNAVAILABLE)
    expect(retryAfterMsOf(error)).toBeGreaterThan(1_000)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await until('it is let in', async () => (await ask(id, line.secret)) === undefined)
})
