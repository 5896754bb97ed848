import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAuthority } from '../../controller/agents/authority.ts'
import { readKeyFile } from '../../controller/auth/key-file.ts'
import { type Fleet, startFleet } from '../fleet/fleet.ts'
import { issueIdentities } from '../fleet/identities.ts'
import type { VirtualAgent } from '../fleet/virtual-agent.ts'
import { type Api, cpuAttack } from '../support/api.ts'
import { newEmail, startTestController, type TestController } from '../support/in-process.ts'
import { until } from '../support/until.ts'

const agents = 50

let controller: TestController
let api: Api
let fleet: Fleet
/** The host of each session that was opened. */
const welcomed: string[] = []
const welcomesOf = (host: string) => welcomed.filter((one) => one === host).length

beforeAll(async () => {
  controller = await startTestController({ TEMBLOR_HEARTBEAT_MS: '1000' })
  const company = await controller.store.companies.addCompany('Fleet')
  const team = await controller.store.companies.addTeam(company, 'Fleet')
  const roles = { teams: { [team.id]: ['TEAM_MANAGER'] } } as const
  api = await controller.join(company, { email: newEmail('fleet'), ...roles })
  const keyFile = readKeyFile(join(controller.environment['TEMBLOR_DATA_DIR'] ?? '', 'keys.json'))
  const names = { teamId: team.id, name: 'virtual', agents }
  const identities = await issueIdentities(names, await openAuthority(keyFile))
  const caPem = keyFile.caCertificatePem
  const target = { host: '127.0.0.1', port: controller.grpcPort, caPem }
  const watch = { welcomed: (agent: VirtualAgent) => welcomed.push(agent.identity.identifier) }
  fleet = startFleet({ target, identities, containers: 1, figuresMs: 1000, perSecond: 200, watch })
  await fleet.untilConnected()
})
afterAll(async () => {
  await fleet?.close()
  await controller?.[Symbol.asyncDispose]()
})

test('virtual agents are hosts like others, with their containers', async () => {
  const clients = await api.activeClients()
  expect(clients.filter(({ targetable }) => targetable)).toHaveLength(agents)
  expect(clients.map(({ identifier }) => identifier)).toContain('virtual-07')
  expect(await api.containers()).toHaveLength(agents)
})

test('all are attacked, and all end when the attack is halted', async () => {
  const id = await api.attack(cpuAttack('-l 60 -p 1', { type: 'Random', percent: 100 }))
  expect(await api.running(id)).toHaveLength(agents)
  // An order may come twice; it is carried out once.
  expect(fleet.counts.runs).toBeGreaterThanOrEqual(agents)
  await api.halt(id)
  const ended = await api.finished(id)
  expect(new Set(ended.map(({ stage }) => stage))).toEqual(new Set(['UserHalted']))
})

test('one that loses its connection comes back with what it runs, and ends it in time', async () => {
  const id = await api.attack(cpuAttack('-l 4 -p 1', { type: 'Exact', exact: ['virtual-07'] }))
  await api.running(id)
  const before = welcomesOf('virtual-07')
  fleet.agents[7]?.cut()
  await until('it is back', () => welcomesOf('virtual-07') > before)
  expect((await api.finished(id)).map(({ stage }) => stage)).toEqual(['Successful'])
})
