import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cpuAttack, type Api } from '../support/api.ts'
import {
  between,
  cpuRate,
  effectOf,
  inOrder,
  momentOf,
  stagesOf,
  usualCpuRate,
} from '../support/effect.ts'
import { cpuSeconds, descendants, stillThere, type ProcessInfo } from '../support/processes.ts'
import { startService, type Service } from '../support/service.ts'
import { elapse, until } from '../support/until.ts'

let service: Service
let api: Api
let host: string
let cores: number

beforeAll(async () => {
  service = await startService({ TEMBLOR_TAGS: 'zone=a,role=web' })
  api = service.owner
  const [client] = await api.activeClients()
  host = client?.identifier ?? ''
  cores = client?.cpu_cores ?? 0
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** The processes of the agent that runs now; its burners are among them. */
const agentChildren = (): ProcessInfo[] => descendants(service.part('agent').pid)

describe('a cpu attack on this host', () => {
  test.each([
    ['one random host', { type: 'Random' }],
    ['a random host with tags', { type: 'Random', tags: { zone: 'a', role: 'web' } }],
    ['hosts by name', () => ({ type: 'Exact', exact: [host] })],
  ])('on %s is done as asked, is shown, and is gone', async (_, target) => {
    const idle = agentChildren()
    const id = await api.attack(
      cpuAttack('-l 3 -p 40', typeof target === 'function' ? target() : target),
    )
    await api.running(id)
    const burners = agentChildren()
    const rate = await usualCpuRate(() => cpuSeconds(burners), 0.6)
    const [execution] = await api.finished(id)

    expect(execution).toMatchObject({
      stage: 'Successful',
      stage_lifecycle: 'Complete',
      reason: 'completed',
      target_type: 'Host',
      client_id: host,
      guest_id: null,
      command_type: 'cpu',
      args: ['-l', '3', '-p', '40'],
    })
    const effect = effectOf(execution)
    expect(effect.asked).toBeCloseTo(40 / cores)
    expect(effect).toMatchObject({ isAsAsked: true })
    expect(Math.abs(rate - 0.4)).toBeLessThanOrEqual((effect.tolerance / 100) * cores)
    const added = burners.filter((one) => !idle.some((old) => old.pid === one.pid))
    expect(added.length).toBeGreaterThan(0)
    expect(stillThere(added)).toEqual([])
  })

  test('its records are there at once, go through the stages in order and last as long as asked', async () => {
    const id = await api.attack(cpuAttack('-l 3 -p 5'))
    const [first] = await api.executions(id)
    expect(first).toMatchObject({ task_id: id, end_time: null, client_id: host })
    expect(await api.readAttack(id)).toMatchObject({
      guid: id,
      stage_lifecycle: 'Active',
      end_time: null,
      length_seconds: 3,
      total_clients: 1,
      create_user: service.local.owner.email,
    })

    const [execution] = await api.finished(id)
    const client = execution?.client_states ?? []
    const server = execution?.service_states ?? []
    expect(stagesOf(client)).toEqual(['Initializing', 'Running', 'TearingDown', 'Successful'])
    expect(stagesOf(server)).toEqual([
      'Pending',
      'Distributed',
      'Initializing',
      'Running',
      'TearingDown',
      'Successful',
    ])
    expect([inOrder(client), inOrder(server)]).toEqual([true, true])
    // What is told may be told late on a busy machine; the burner itself knows how long it burnt.
    expect(Math.abs(between(client, 'Running', 'TearingDown') - 3)).toBeLessThanOrEqual(1)
    const lasted = execution?.measured?.detail['window_seconds'] ?? 0
    expect(Math.abs(lasted - 3)).toBeLessThanOrEqual(0.5)
    expect(await api.readAttack(id)).toMatchObject({
      stage: 'Successful',
      stage_lifecycle: 'Complete',
      execution_stage_summary: { Successful: 1 },
      halted_by: null,
      end_time: expect.any(String),
    })
    expect((await api.attacks())[0]).toMatchObject({ guid: id })
  })

  test('several percentages at once add up, each ends on its own', async () => {
    const long = await api.attack(cpuAttack('-l 4 -p 20'))
    const short = await api.attack(cpuAttack('-l 2 -p 30'))
    const [ended] = await api.finished(short)
    expect(ended?.stage).toBe('Successful')
    const [last] = await api.finished(long)
    expect(last?.stage).toBe('Successful')
    const endedAt = momentOf(ended?.client_states ?? [], 'Successful')
    expect(momentOf(last?.client_states ?? [], 'TearingDown')).toBeGreaterThan(endedAt)
    expect(effectOf(ended)).toMatchObject({ isAsAsked: true })
    expect(effectOf(last)).toMatchObject({ isAsAsked: true })
  })
})

describe('halting', () => {
  test('ends the fault at once, and halting again changes nothing', async () => {
    const idle = agentChildren()
    const id = await api.attack(cpuAttack('-l 600 -p 30'))
    await api.running(id)
    const added = agentChildren().filter((one) => !idle.some((old) => old.pid === one.pid))
    expect(added.length).toBeGreaterThan(0)

    const [first] = await api.halt(id)
    expect(first).toMatchObject({ guid: id, halted_by: service.local.owner.email })
    await until('the burners are gone', () => stillThere(added).length === 0, 2000)
    const [execution] = await api.finished(id)
    expect(execution).toMatchObject({
      stage: 'UserHalted',
      stage_lifecycle: 'Complete',
      reason: 'halted',
    })
    expect(inOrder(execution?.service_states ?? [])).toBe(true)

    const over = await api.readAttack(id)
    expect(over).toMatchObject({ stage: 'UserHalted', stage_lifecycle: 'Complete' })
    expect(await api.halt(id)).toEqual([over])
    expect(await api.halt(id)).toEqual([over])
    expect(await api.readAttack(id)).toEqual(over)
  })

  test('twice at the same moment is the same as once', async () => {
    const id = await api.attack(cpuAttack('-l 600 -p 5'))
    await api.running(id)
    const answers = await Promise.all([api.halt(id), api.halt(id), api.halt(id)])
    expect(answers.map((records) => records[0]?.guid)).toEqual([id, id, id])
    const [execution] = await api.finished(id)
    expect(execution?.stage).toBe('UserHalted')
    const halts = stagesOf(execution?.service_states ?? []).filter((stage) => stage === 'Halt')
    expect(halts.length).toBe(1)
  })

  test('an attack that is over stays as it is', async () => {
    const id = await api.attack(cpuAttack('-l 1 -p 1'))
    await api.finished(id)
    const over = await api.readAttack(id)
    expect(await api.halt(id)).toEqual([over])
    expect(over).toMatchObject({ stage: 'Successful', halted_by: null })
  })

  test.each([0, 10, 50, 200])(
    'while it starts (%d ms after the request) ends it, and nothing burns',
    async (afterMs) => {
      const idle = agentChildren()
      const id = await api.attack(cpuAttack('-l 600 -p 50'))
      await elapse(afterMs)
      await api.halt(id)
      const [execution] = await api.finished(id, 10_000)
      expect(execution).toMatchObject({ stage: 'UserHalted', stage_lifecycle: 'Complete' })
      const extra = () => agentChildren().filter((one) => !idle.some((old) => old.pid === one.pid))
      await until('no burner is left', () => extra().length === 0, 3000)
      expect(await cpuRate(() => cpuSeconds(agentChildren()), 0.3)).toBeLessThan(0.1)
      expect(await api.readAttack(id)).toMatchObject({ stage: 'UserHalted' })
    },
  )
})
