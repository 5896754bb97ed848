import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAgent, untilTargetable, type FurtherAgent } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { descendants } from '../support/processes.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
let api: Api
let limited: FurtherAgent
let closed: FurtherAgent

beforeAll(async () => {
  service = await startService()
  api = service.owner
  limited = startAgent('limited', service.local.join, {
    TEMBLOR_MAX_PERCENT: '40',
    TEMBLOR_MAX_LENGTH_SECONDS: '30',
  })
  closed = startAgent('closed', service.local.join, { TEMBLOR_ALLOW_ATTACKS: 'none' })
  await untilTargetable(api, 'limited')
  await untilTargetable(api, 'closed')
})
afterAll(async () => {
  await limited?.[Symbol.asyncDispose]()
  await closed?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

test.each([
  ['a share above the limit', '-l 5 -p 41', 'limited', 'percent'],
  ['the default share, which is above it', '-l 5', 'limited', 'percent'],
  ['a length above the limit', '-l 31 -p 40', 'limited', 'length'],
  ['an attack type that is not allowed', '-l 5 -p 1', 'closed', 'cpu'],
])('%s is refused by the host, which says what it forbids', async (_, args, host, word) => {
  const agent = host === 'limited' ? limited : closed
  const before = descendants(agent.process.pid).length
  const id = await api.attack(cpuAttack(args, { type: 'Exact', exact: [host] }))
  const [row] = await api.finished(id)
  expect(row).toMatchObject({
    stage: 'InitializationFailed',
    stage_lifecycle: 'Error',
    reason: 'forbidden_by_owner',
    measured: null,
  })
  expect(row?.output.toLowerCase()).toContain(word)
  expect(row?.client_states.map((state) => state.stage)).not.toContain('Running')
  expect(descendants(agent.process.pid).length).toBe(before)
})

test('what is within the limits is done', async () => {
  const id = await api.attack(cpuAttack('-l 2 -p 40', { type: 'Exact', exact: ['limited'] }))
  expect(await api.finished(id)).toMatchObject([{ stage: 'Successful' }])
})

test('a host without limits does what another forbids', async () => {
  const free = (await api.activeClients()).find(
    (one) => !['limited', 'closed'].includes(one.identifier),
  )
  const id = await api.attack(
    cpuAttack('-l 1 -p 60', { type: 'Exact', exact: [free?.identifier ?? '', 'limited'] }),
  )
  const rows = await api.finished(id)
  expect(new Map(rows.map((row) => [row.client_id, row.stage]))).toEqual(
    new Map([
      [free?.identifier, 'Successful'],
      ['limited', 'InitializationFailed'],
    ]),
  )
})

test('the list of hosts shows the limits', async () => {
  const clients = await api.activeClients()
  expect(clients.find((one) => one.identifier === 'limited')?.limits).toMatchObject({
    attack_types: null,
    max_length_seconds: 30,
    max_percent: 40,
    max_containers: null,
  })
  const none = clients.find((one) => one.identifier === 'closed')
  expect(none?.limits.attack_types).not.toContain('cpu')
  expect(none?.limits.attack_types).not.toBeNull()
})
