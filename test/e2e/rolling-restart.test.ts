import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Team } from '../../controller/store/companies.ts'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { apiOf, cpuAttack, type Api } from '../support/api.ts'
import { startBalancer, type Balancer } from '../support/balancer.ts'
import { startNode, type Running } from '../support/command.ts'
import { request } from '../support/http.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { joinStreamAgent } from '../support/stream-agent.ts'
import { until } from '../support/until.ts'

/** A controller in a process of its own. */
interface Process {
  readonly running: Running
  readonly httpPort: number
  readonly grpcPort: number
}

/** Reads the results; no agent is connected to it. */
let reader: TestController
let balancer: Balancer
let api: Api
let team: Team
let agent: FurtherAgent
const processes: Running[] = []

beforeAll(async () => {
  reader = await startTestController()
  const company = await reader.store.companies.addCompany('Acme')
  team = await reader.store.companies.addTeam(company, 'Payments')
  const teams = { [team.id]: ['TEAM_MANAGER'] as const }
  api = await reader.join(company, { email: newEmail('manager'), teams })
  balancer = await startBalancer([])
})
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]()
  for (const running of processes) if (!running.hasEnded()) await running.stop('SIGTERM')
  await balancer?.[Symbol.asyncDispose]()
  await reader?.[Symbol.asyncDispose]()
})

async function startController(): Promise<Process> {
  const running = startNode(['controller/main.ts'], {
    ...reader.environment,
    TEMBLOR_HTTP_PORT: '0',
    TEMBLOR_GRPC_PORT: '0',
  })
  processes.push(running)
  const ports = await until(
    'a controller is ready',
    () => /"httpPort":(\d+),"grpcPort":(\d+).*controller is ready/.exec(running.output()),
    60_000,
  )
  return { running, httpPort: Number(ports[1]), grpcPort: Number(ports[2]) }
}

test('controllers are restarted one after the other, and what runs on a host runs to its end', async () => {
  let [first, second, ...fresh] = (await Promise.all(
    Array.from({ length: 4 }, startController),
  )) as [Process, Process, ...Process[]]
  balancer.targets = [first.grpcPort, second.grpcPort]
  agent = startAgent('host-a', await reader.joinLine(team, balancer.port))
  await untilTargetable(api, 'host-a')
  const id = await api.attack(cpuAttack('-l 15 -p 5', { type: 'Exact', exact: ['host-a'] }))
  const [execution] = await api.running(id)
  const connections = () =>
    agent.process.output().match(/connected to the controller/g)?.length ?? 0
  for (const restarted of fresh) {
    const before = connections()
    expect(await first.running.stop('SIGTERM')).toMatchObject({ code: 0, signal: null })
    await until('the host is with the next one', () => connections() > before)
    ;[first, second] = [second, restarted]
    balancer.targets = [first.grpcPort, second.grpcPort]
  }
  expect((await api.executions(id))[0]?.stage).toBe('Running')
  const [end] = await api.finished(id)
  expect(end).toMatchObject({ guid: execution?.guid, stage: 'Successful', reason: 'completed' })
  const tookMs = Date.parse(end?.end_time ?? '') - Date.parse(end?.start_time ?? '')
  expect(tookMs).toBeGreaterThan(14_500)
})

test('a controller that stops serves an agent that does not know how to move, until it has had its time', async () => {
  const { running, httpPort, grpcPort } = await startController()
  const here = apiOf(`http://127.0.0.1:${httpPort}`, api.session)
  const old = await joinStreamAgent('old', await reader.joinLine(team, grpcPort), 'first')
  await using session = old.open()
  await session.hear(({ welcome }) => welcome)
  const id = await here.attack(cpuAttack('-l 60 -p 1', { type: 'Exact', exact: ['old'] }))
  const { message: order } = await session.hear(({ run }) => run)
  const { executionId, generation } = order.run ?? { executionId: '', generation: 1 }
  session.send({ commandAck: { executionId, generation } })
  const update = { executionId, generation, seq: 1, stage: 'Running', ageMs: 0 }
  session.send({ executionUpdate: update })
  await session.hear(({ updateAck }) => updateAck?.seq === 1)
  running.child.kill('SIGTERM')
  // What it hears is a message that it does not know.
  await session.hear((message) => Object.keys(message).length === 0)
  const health = await request(here.baseUrl, 'GET', '/v1/health')
  expect(health).toMatchObject({ status: 503, json: { error: { code: 'not_ready' } } })
  await here.halt(id)
  await session.hear(({ halt }) => halt?.attackId === id)
  await expect(joinStreamAgent('new', await reader.joinLine(team, grpcPort))).rejects.toThrow(
    /No controller answers/,
  )
  const { message } = await session.hear(({ refusal }) => refusal)
  expect(message.refusal).toMatchObject({ code: 'draining', final: false })
  expect(await running.ended).toMatchObject({ code: 0, signal: null })
})
