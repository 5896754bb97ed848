import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentMessage } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { joinStreamAgent, type StreamSession } from '../support/stream-agent.ts'

/** Agents that say what no agent of ours would: a host may be somebody's who means the others ill. */

const inventory = { capabilities: [{ attackType: 'cpu', targeting: 'Host', missingReason: '' }] }

let controller: TestController
let api: Api
let joinLine: string
beforeAll(async () => {
  controller = await startTestController()
  const { companies } = controller.store
  const company = await companies.addCompany('Acme')
  const team = await companies.addTeam(company, 'ops')
  joinLine = await controller.joinLine(team)
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  api = await controller.join(company, { email: newEmail('engineer'), teams })
})
afterAll(() => controller[Symbol.asyncDispose]())

async function host(name: string): Promise<StreamSession> {
  const session = (await joinStreamAgent(name, joinLine)).open(undefined, { inventory })
  await session.hear((message) => message.welcome)
  return session
}

/** An attack on these hosts; gives its id, and by host the execution that the host was ordered. */
async function attackOn(hosts: Readonly<Record<string, StreamSession>>) {
  const id = await api.attack(cpuAttack('-l 600', { type: 'Exact', exact: Object.keys(hosts) }))
  const executions: Record<string, string> = {}
  for (const [name, session] of Object.entries(hosts)) {
    const { message } = await session.hear(({ run }) => run?.attackId === id)
    executions[name] = message.run?.executionId ?? ''
  }
  return { id, executions }
}

let seq = 0
/** Reports, and waits until the report and all that was said before it have been handled. */
async function report(
  session: StreamSession,
  executionId: string,
  update: NonNullable<AgentMessage['executionUpdate']>,
): Promise<void> {
  seq += 1
  const mine = seq
  session.send({ executionUpdate: { executionId, generation: 1, seq: mine, ...update } })
  await session.hear(({ updateAck }) => updateAck?.seq === mine)
}

/** What a host says of an attack that was started on it. */
const said = (attackId: string) => ({
  manualAttack: {
    attackId,
    executionId: randomUUID(),
    attackType: 'cpu',
    args: ['-l', '30'],
    lengthMs: 30_000,
    ageMs: 2_000,
  },
})

describe('an attack that a host says was started on it', () => {
  test('is recorded as one of the host', async () => {
    await using session = await host('honest')
    const { executions } = await attackOn({ honest: session })
    const id = randomUUID()
    session.send(said(id))
    await report(session, executions['honest'] ?? '', { stage: 'Running' })
    expect(await api.readAttack(id)).toMatchObject({
      create_source: 'Manual',
      create_user: 'local',
      length_seconds: 30,
      targets: ['honest'],
      stage: 'Distributed',
    })
  })

  test('takes the place of no attack that there is: it stays whose it is, and is halted everywhere', async () => {
    await using one = await host('one')
    await using other = await host('other')
    const { id, executions } = await attackOn({ one, other })
    await report(one, executions['one'] ?? '', { stage: 'Running' })
    await report(other, executions['other'] ?? '', { stage: 'Running' })
    const before = await api.readAttack(id)
    one.send(said(id))
    await report(one, executions['one'] ?? '', { stage: 'Successful', reason: 'completed' })
    expect(await api.readAttack(id)).toMatchObject({
      create_source: before.create_source,
      create_user: before.create_user,
      args: before.args,
      targets: ['one', 'other'],
      stage: 'Running',
    })
    await api.send('DELETE', '/attacks')
    const { message } = await other.hear(({ halt }) => halt)
    expect(message.halt?.executionId).toBe(executions['other'])
  })
})
