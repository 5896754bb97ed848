import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentMessage } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { Hello } from '../../proto/gen/temblor/agent/v1/Hello.ts'
import type { Client } from '../../shared/api/clients.ts'
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

async function host(name: string, hello: Partial<Hello> = {}): Promise<StreamSession> {
  const agent = await joinStreamAgent(name, joinLine)
  const session = agent.open(undefined, { inventory, ...hello })
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

const effect = (value: string) =>
  `{"metric":"cpu","value":${value},"unit":"percent_of_capacity","detail":{}}`

const areOurs = (times: readonly (string | null | undefined)[]) =>
  times.map((time) => new Date(time ?? NaN).getFullYear() > 2_000)

test('attacks that were started on a host are recorded all, and not faster than ten in a second', async () => {
  await using session = await host('busy')
  const { executions } = await attackOn({ busy: session })
  const ids = Array.from({ length: 30 }, () => randomUUID())
  const beganMs = performance.now()
  for (const id of ids) session.send(said(id))
  await report(session, executions['busy'] ?? '', { stage: 'Running' })
  expect(performance.now() - beganMs).toBeGreaterThan(1_500)
  const found = await Promise.all(ids.map((id) => api.readAttack(id)))
  expect(found.every(({ create_source: source }) => source === 'Manual')).toBe(true)
})

describe('what a host says of an execution', () => {
  test('is shown as it was said', async () => {
    await using session = await host('plain')
    const { id, executions } = await attackOn({ plain: session })
    await report(session, executions['plain'] ?? '', {
      stage: 'Running',
      measuredJson: effect('49.5'),
    })
    const sentMs = Date.now()
    await report(session, executions['plain'] ?? '', {
      stage: 'Failed',
      reason: 'start_failed',
      message: 'No such program: nft.',
      backend: 'burner',
      ageMs: 1,
    })
    const [found] = await api.executions(id)
    expect(found).toMatchObject({
      output: 'No such program: nft.',
      backend: 'burner',
      measured: { value: 49.5 },
    })
    expect(Math.abs(Date.parse(found?.end_time ?? '') - sentMs)).toBeLessThan(5_000)
  })

  test('has an end, and times that are some', async () => {
    await using session = await host('endless')
    const { id, executions } = await attackOn({ endless: session })
    const execution = executions['endless'] ?? ''
    await report(session, execution, {
      stage: 'Running',
      ageMs: 2 ** 63,
      measuredJson: effect('1e400'),
      requestedJson: effect(`1${' '.repeat(100_000)}`),
      backend: 'b'.repeat(100_000),
    })
    await report(session, execution, {
      stage: 'Failed',
      reason: 'start_failed',
      // Cut in the middle of a character.
      message: `m${'\u{1F525}'.repeat(500_000)}`,
      ageMs: 2 ** 63,
    })
    expect(areOurs([(await api.readAttack(id)).end_time])).toEqual([true])
    const [found] = await api.executions(id)
    expect(found).toMatchObject({ requested: null, measured: null })
    expect(areOurs(found?.client_states.map(({ timestamp }) => timestamp) ?? [])).toEqual([
      true,
      true,
    ])
    expect(found?.output.length).toBeLessThan(5_000)
    expect(found?.backend?.length).toBeLessThan(500)
  })

  test('of a year ago is recorded, of before history is not', async () => {
    await using session = await host('old')
    const { executions } = await attackOn({ old: session })
    const [year, history, wrong] = [randomUUID(), randomUUID(), randomUUID()]
    const ageOf = (attackId: string, ageMs: number) => ({
      manualAttack: { ...said(attackId).manualAttack, ageMs },
    })
    session.send(ageOf(year, 365 * 86_400_000))
    session.send(ageOf(history, 2 ** 63))
    session.send({ manualAttack: { ...said(wrong).manualAttack, args: ['--length', 'NaN'] } })
    await report(session, executions['old'] ?? '', { stage: 'Running' })
    expect(Date.now() - Date.parse((await api.readAttack(year)).start_time)).toBeGreaterThan(
      364 * 86_400_000,
    )
    expect(new Date((await api.readAttack(history)).start_time).getFullYear()).toBeGreaterThan(
      2_000,
    )
    expect((await api.send('GET', `/attacks/${wrong}`)).status).toBe(404)
  })
})

describe('what a host says of itself', () => {
  const container = {
    id: 'c1',
    name: 'web',
    image: 'nginx',
    state: 'running',
    labels: { app: 'web' },
    protected: false,
  }
  const facts = { osName: 'Debian', cpuCores: 4, memoryBytes: 8e9 }

  test('is shown as it was said', async () => {
    await using _session = await host('sound', {
      inventory: { ...inventory, tags: { zone: 'a' }, containers: [container], facts },
      version: '1.2.3',
    })
    expect(await api.get('/clients/sound')).toMatchObject({
      tags: { zone: 'a' },
      containers: [container],
      cpu_cores: 4,
      memory_bytes: 8e9,
      os_name: 'Debian',
      version: '1.2.3',
      capabilities: [{ attack_type: 'cpu', targeting: 'Host', status: 'SUCCESS' }],
    })
  })

  test('has the shape that the API promises, and an end', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`tag${at}`, 'x']))
    await using _session = await host('unsound', {
      version: 'v'.repeat(100_000),
      inventory: {
        tags: many,
        containers: [
          container,
          { ...container, id: '' },
          { ...container, id: 'c2', state: 'gone' },
        ],
        capabilities: [
          ...inventory.capabilities,
          { attackType: 'cpu', targeting: 'Moon', missingReason: '' },
        ],
        facts: { osName: 'D'.repeat(100_000), cpuCores: NaN, memoryBytes: -Infinity },
      },
    })
    const client = await api.get<Client>('/clients/unsound')
    expect(Object.keys(client.tags)).toHaveLength(200)
    expect(client.containers.map(({ id }) => id)).toEqual(['c1'])
    expect(client.capabilities.map(({ targeting }) => targeting)).toEqual(['Host'])
    expect(client).toMatchObject({ cpu_cores: 0, memory_bytes: 0 })
    expect(client.version.length + client.os_name.length).toBeLessThan(1_000)
  })
})
