import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cpuAttack, type Api } from '../support/api.ts'
import {
  dockerSkipReason,
  needsDocker,
  targetContainers,
  untilKnown,
  type TargetContainer,
  type TargetContainers,
} from '../support/docker.ts'
import { cpuRate, effectOf, usualCpuRate } from '../support/effect.ts'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

let service: Service
let api: Api
let host: string
let containers: TargetContainers
let front: TargetContainer[]
let back: TargetContainer

const frontLabels = () => ({ app: `web-${containers.run}`, tier: 'front' })

describe('a cpu attack on containers', () => {
  needsDocker()
  beforeAll(async () => {
    if (dockerSkipReason) return
    containers = await targetContainers()
    service = await startService()
    api = service.owner
    host = (await api.activeClients())[0]?.identifier ?? ''
    const app = `web-${containers.run}`
    front = [
      await containers.start({ app, tier: 'front' }),
      await containers.start({ app, tier: 'front' }),
    ]
    back = await containers.start({ app, tier: 'back' })
    await untilKnown(api, [...front, back])
  })
  afterAll(async () => {
    await containers?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
  })

  test('hits exactly those that carry every label, as asked, and leaves the third alone', async () => {
    const before = { back: back.cpuSeconds(), pids: front.map((one) => one.pids().length) }
    const id = await api.attack(cpuAttack('-l 5 -p 60', { type: 'Random' }, frontLabels()))
    const rows = await api.executions(id)
    expect(new Set(rows.map((row) => row.guest_id))).toEqual(new Set(front.map((one) => one.id)))
    expect(rows.length).toBe(2)
    await api.running(id)
    const rates = await Promise.all(front.map((one) => usualCpuRate(one.cpuSeconds, 1)))
    const ended = await api.finished(id)

    for (const execution of ended) {
      expect(execution).toMatchObject({
        stage: 'Successful',
        target_type: 'Container',
        client_id: host,
        guest_name: front.find((one) => one.id === execution.guest_id)?.name,
      })
      expect(effectOf(execution).asked).toBeCloseTo(60)
      expect(effectOf(execution)).toMatchObject({ isAsAsked: true })
    }
    // Half a core is the whole capacity of each. What is seen outside is what the agent says; the two
    // look at different seconds, which differ where others take the CPU.
    const said = ended.map((one) => effectOf(one).measured / 100)
    const apart = Math.max(0.08, ...ended.map((one) => effectOf(one).tolerance / 100))
    for (const rate of rates)
      expect(Math.min(...said.map((one) => Math.abs(rate / 0.5 - one)))).toBeLessThanOrEqual(apart)
    expect(back.cpuSeconds() - before.back).toBeLessThan(0.05)
    expect(front.map((one) => one.pids().length)).toEqual(before.pids)
    expect(await Promise.all(front.map((one) => cpuRate(one.cpuSeconds, 0.5)))).toEqual([
      expect.closeTo(0, 1),
      expect.closeTo(0, 1),
    ])
    expect(await api.readAttack(id)).toMatchObject({
      target_type: 'Container',
      total_clients: 1,
      targets: [host],
      target_containers: { [host]: expect.arrayContaining(front.map((one) => one.id)) },
      execution_stage_summary: { Successful: 2 },
    })
  })

  test('by Exact and labels hits the containers of the named host', async () => {
    const id = await api.attack(
      cpuAttack(
        '-l 1 -p 20',
        { type: 'Exact', exact: [host] },
        {
          app: `web-${containers.run}`,
          tier: 'back',
        },
      ),
    )
    const rows = await api.finished(id)
    expect(rows).toMatchObject([{ guest_id: back.id, stage: 'Successful' }])
  })

  test('halting reverts it in all of them', async () => {
    const id = await api.attack(cpuAttack('-l 600 -p 50', { type: 'Random' }, frontLabels()))
    await api.running(id)
    await api.halt(id)
    const rows = await api.finished(id)
    expect(rows.map((row) => row.stage)).toEqual(['UserHalted', 'UserHalted'])
    for (const one of front) {
      expect(one.pids().length).toBe(1)
      expect(await cpuRate(one.cpuSeconds, 0.3)).toBeLessThan(0.02)
    }
  })

  test('halting while it starts leaves nothing that burns', async () => {
    for (const _ of [1, 2]) {
      const id = await api.attack(cpuAttack('-l 600 -p 50', { type: 'Random' }, frontLabels()))
      await api.halt(id)
      const rows = await api.finished(id, 10_000)
      expect(rows.map((row) => row.stage)).toEqual(['UserHalted', 'UserHalted'])
      await until('the containers are alone', () => front.every((one) => one.pids().length === 1))
      expect(await cpuRate(front[0]?.cpuSeconds ?? Number, 0.3)).toBeLessThan(0.02)
    }
  })

  test('two attacks on one container at once each do what was asked and end alone', async () => {
    const labels = { app: `web-${containers.run}`, tier: 'back' }
    const long = await api.attack(cpuAttack('-l 8 -p 20', { type: 'Random' }, labels))
    await api.running(long)
    const short = await api.attack(cpuAttack('-l 4 -p 30', { type: 'Random' }, labels))
    await api.running(short)
    const both = await usualCpuRate(back.cpuSeconds, 0.8)
    expect(Math.abs(both / 0.5 - 0.5)).toBeLessThanOrEqual(0.06)

    const [first] = await api.finished(short)
    expect(first?.stage).toBe('Successful')
    expect(await api.readAttack(long)).toMatchObject({ stage: 'Running' })
    const alone = await usualCpuRate(back.cpuSeconds, 0.6)
    expect(Math.abs(alone / 0.5 - 0.2)).toBeLessThanOrEqual(0.06)
    const [last] = await api.finished(long)
    expect(last?.stage).toBe('Successful')
    expect([first, last].map((row) => Math.round(effectOf(row).asked))).toEqual([30, 20])
    expect(effectOf(first)).toMatchObject({ isAsAsked: true })
    expect(effectOf(last)).toMatchObject({ isAsAsked: true })
    expect(back.pids().length).toBe(1)
  })

  test('halting one of two attacks on a container leaves the other', async () => {
    const labels = { app: `web-${containers.run}`, tier: 'back' }
    const stays = await api.attack(cpuAttack('-l 8 -p 20', { type: 'Random' }, labels))
    const goes = await api.attack(cpuAttack('-l 60 -p 20', { type: 'Random' }, labels))
    await Promise.all([api.running(stays), api.running(goes)])
    await api.halt(goes)
    await api.finished(goes)
    expect(await api.readAttack(stays)).toMatchObject({ stage: 'Running' })
    const rate = await usualCpuRate(back.cpuSeconds, 0.6)
    expect(Math.abs(rate / 0.5 - 0.2)).toBeLessThanOrEqual(0.06)
    expect(await api.finished(stays)).toMatchObject([{ stage: 'Successful' }])
  })

  test('its memory is not charged to the container', async () => {
    const idle = back.memoryBytes()
    const id = await api.attack(
      cpuAttack('-l 2 -p 20', { type: 'Random' }, { app: `web-${containers.run}`, tier: 'back' }),
    )
    await api.running(id)
    const loaded = back.memoryBytes()
    await api.finished(id)
    expect(loaded - idle).toBeLessThan(2 * 1024 * 1024)
  })

  test('a container that starts is known within seconds and one that stops is not hit', async () => {
    const app = `late-${containers.run}`
    const late = await containers.start({ app })
    const attack = cpuAttack('-l 1 -p 5', { type: 'Random' }, { app })
    const id = await until(
      'the new container can be hit',
      async () => {
        const answer = await api.send('POST', '/attacks/new', { json: attack })
        return answer.status === 201 && answer.text
      },
      5000,
      apiPollMs,
    )
    expect(await api.finished(id)).toMatchObject([{ guest_id: late.id, stage: 'Successful' }])

    await late.container.kill()
    const refused = await until(
      'the stopped container is forgotten',
      async () => {
        const answer = await api.send('POST', '/attacks/new', { json: attack })
        return answer.status === 400 && answer
      },
      5000,
      apiPollMs,
    )
    expect(refused.json).toMatchObject({ error: { code: 'target_not_found' } })
  })

  test('one that its owner protects is never hit', async () => {
    const app = `kept-${containers.run}`
    const [open, kept] = [
      await containers.start({ app }),
      await containers.start({ app, 'temblor.protect': 'true' }),
    ]
    const listed = await until(
      'both are known',
      async () => {
        const all = await api.containers()
        const ours = [open, kept].map((one) => all.find((c) => c.identifier === one.id))
        return ours.every((one) => one !== undefined) && ours
      },
      15_000,
      apiPollMs,
    )
    expect(listed.map((one) => one?.protected)).toEqual([false, true])

    const id = await api.attack(cpuAttack('-l 2 -p 20', { type: 'Random' }, { app }))
    expect(await api.finished(id)).toMatchObject([{ guest_id: open.id, stage: 'Successful' }])
    expect(kept.cpuSeconds()).toBeLessThan(0.05)

    const only = { app, 'temblor.protect': 'true' }
    const refused = await api.refused(cpuAttack('-l 1', { type: 'Random' }, only))
    expect(refused).toMatchObject({ status: 400, error: { code: 'target_not_found' } })
  })

  test('is listed with its host and its labels', async () => {
    const ours = (await api.containers()).find((one) => one.identifier === back.id)
    expect(ours).toMatchObject({
      name: back.name,
      client_id: host,
      org_id: service.local.team.id,
      state: 'running',
      container_labels: expect.objectContaining(back.labels),
      protected: false,
    })
    const [client] = await api.activeClients()
    expect(client?.containers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: back.id,
          name: back.name,
          labels: expect.objectContaining(back.labels),
        }),
      ]),
    )
  })
})
