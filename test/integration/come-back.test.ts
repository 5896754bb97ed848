import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpuAttack, type Api } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { joinStreamAgent, type StreamAgent, type StreamSession } from '../support/stream-agent.ts'

let controller: TestController
let api: Api
let agent: StreamAgent

beforeAll(async () => {
  controller = await startTestController()
  const company = await controller.store.companies.addCompany('Acme')
  const team = await controller.store.companies.addTeam(company, 'Payments')
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  api = await controller.join(company, { email: newEmail('manager'), teams })
  agent = await joinStreamAgent('h1', await controller.joinLine(team))
})
afterAll(() => controller?.[Symbol.asyncDispose]())

/** Begins an attack on the host, which says that it runs. */
async function begin(session: StreamSession) {
  const attackId = await api.attack(cpuAttack('-l 60 -p 1'))
  const { message } = await session.hear(({ run }) => run?.attackId === attackId)
  const execution = { executionId: message.run?.executionId ?? '', generation: 1 }
  session.send({ commandAck: execution })
  session.send({ executionUpdate: { ...execution, seq: 1, stage: 'Running', ageMs: 0 } })
  await session.hear(({ updateAck }) => updateAck?.executionId === execution.executionId)
  return { ...execution, attackId }
}

const comeBack = (...knownExecutions: { executionId: string; generation: number }[]) =>
  agent.open(undefined, { knownExecutions })
const isHalted =
  ({ executionId }: { executionId: string }) =>
  ({ halt }: { halt?: { executionId: string } | null }) =>
    halt?.executionId === executionId

test('what a host runs that was revoked and allowed again before it heard of it is halted', async () => {
  const first = comeBack()
  await first.hear(({ welcome }) => welcome)
  const execution = await begin(first)
  await first[Symbol.asyncDispose]()
  expect((await api.send('DELETE', '/clients/h1')).status).toBe(200)
  expect((await api.send('PUT', '/clients/h1/activate')).status).toBe(200)
  await using session = comeBack(execution)
  await session.hear(isHalted(execution))
  // What is begun from now on is not.
  const next = await begin(session)
  await using again = comeBack(next, execution)
  await again.hear(isHalted(execution))
  expect(again.heard.some(({ message }) => isHalted(next)(message))).toBe(false)
})

test('what a host has lost its record of is over, and neither halted nor begun there once more', async () => {
  const first = comeBack()
  await first.hear(({ welcome }) => welcome)
  const lost = await begin(first)
  await first[Symbol.asyncDispose]()
  // Its twin is halted before its host hears of it: that is up to the host.
  const unheard = await api.attack(cpuAttack('-l 60 -p 1'))
  for (const id of [lost.attackId, unheard]) await api.halt(id)
  await using session = comeBack()
  const { message } = await session.hear(({ halt }) => halt)
  const executionId = message.halt?.executionId ?? ''
  session.send({ executionUpdate: { executionId, seq: 1, stage: 'UserHalted', reason: 'halted' } })
  expect(await api.finished(lost.attackId)).toMatchObject([
    { stage: 'ClientAborted', reason: 'agent_restarted' },
  ])
  expect(await api.finished(unheard)).toMatchObject([{ stage: 'UserHalted', reason: 'halted' }])
  expect(session.heard.some(({ message: one }) => one.run || isHalted(lost)(one))).toBe(false)
})
