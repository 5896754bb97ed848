import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../shared/api/clients.ts'
import { startAgent, untilTargetable } from '../support/agent.ts'
import { cpuAttack, type Api } from '../support/api.ts'
import { descendants, stillThere } from '../support/processes.ts'
import { startService, type Service } from '../support/service.ts'
import { apiPollMs, until } from '../support/until.ts'

let service: Service
let api: Api
let host: Client

beforeAll(async () => {
  service = await startService({ TEMBLOR_TAGS: 'zone=a,role=web' })
  api = service.owner
  host = (await api.activeClients())[0] as Client
})
afterAll(() => service?.[Symbol.asyncDispose]())

interface Clients {
  readonly active: Client[]
  readonly idle: Client[]
  readonly inactive: Client[]
}
const named = (list: readonly Client[], identifier: string) =>
  list.find((one) => one.identifier === identifier)

describe('the hosts of a team', () => {
  test('are listed by state, with tags, facts, abilities and limits', async () => {
    expect(await api.get<Clients>('/clients')).toMatchObject({
      active: [{ identifier: host.identifier }],
      idle: [],
      inactive: [],
    })
    expect(host).toMatchObject({
      org_id: service.local.team.id,
      state: 'ACTIVE',
      targetable: true,
      tags: {
        zone: 'a',
        role: 'web',
        'os-type': expect.stringMatching(/^linux$/i),
        'os-version': expect.any(String),
      },
      auth_type: 'CERTIFICATE',
      os_type: 'Linux',
      limits: { attack_types: null, max_length_seconds: null, max_percent: null },
    })
    expect(host.cpu_cores).toBeGreaterThan(0)
    expect(host.memory_bytes).toBeGreaterThan(1e8)
    expect(host.capabilities).toEqual(
      expect.arrayContaining([
        { attack_type: 'cpu', targeting: 'Host', status: 'SUCCESS', reason: null },
      ]),
    )
  })

  test('what a host runs is shown with it', async () => {
    const id = await api.attack(cpuAttack('-l 60 -p 1'))
    const [execution] = await api.running(id)
    const shown = await until(
      'the host shows what it runs',
      async () => {
        const [client] = await api.activeClients()
        return client?.running_executions.includes(execution?.guid ?? '')
      },
      15_000,
      apiPollMs,
    )
    expect(shown).toBe(true)
    await api.halt(id)
    await api.finished(id)
  })
})

describe('a further host', () => {
  test('is added by the line that npm start prints, and can be hit by its name and by its tags', async () => {
    await using agent = startAgent('host-b', service.local.join, { TEMBLOR_TAGS: 'zone=b' })
    const client = await untilTargetable(api, 'host-b')
    expect(client.tags).toMatchObject({ zone: 'b' })
    for (const target of [
      { type: 'Exact', exact: ['host-b'] },
      { type: 'Random', tags: { zone: 'b' } },
    ]) {
      const id = await api.attack(cpuAttack('-l 1 -p 1', target))
      expect(await api.finished(id)).toMatchObject([{ client_id: 'host-b', stage: 'Successful' }])
    }
    const id = await api.attack(
      cpuAttack('-l 1 -p 1', { type: 'Exact', exact: ['host-b', host.identifier] }),
    )
    const rows = await api.finished(id)
    expect(rows.map((row) => row.client_id).toSorted()).toEqual(
      ['host-b', host.identifier].toSorted(),
    )
    expect(agent.process.hasEnded()).toBe(false)
  })

  test('that stops is not hit any more', async () => {
    {
      await using _agent = startAgent('host-c', service.local.join)
      await untilTargetable(api, 'host-c')
    }
    const gone = await until(
      'host-c is not targetable',
      async () => {
        const { active, idle } = await api.get<Clients>('/clients')
        return named([...active, ...idle], 'host-c')?.targetable === false
      },
      20_000,
      apiPollMs,
    )
    expect(gone).toBe(true)
    const { error } = await api.refused(cpuAttack('-l 1', { type: 'Exact', exact: ['host-c'] }))
    expect(error).toMatchObject({ code: 'target_not_found', details: { missing: ['host-c'] } })
  })

  test('comes back as itself after a restart', async () => {
    const first = startAgent('host-d', service.local.join)
    const before = await untilTargetable(api, 'host-d')
    await first.process.stop('SIGTERM')
    await using again = startAgent('host-d', service.local.join, {}, first.dir)
    const after = await until(
      'host-d is there again',
      async () => {
        const found = named(await api.activeClients(), 'host-d')
        return found?.targetable && found.last_seen > before.last_seen && found
      },
      20_000,
      apiPollMs,
    )
    expect(after.instance_id).toBe(before.instance_id)
    expect(again.process.hasEnded()).toBe(false)
  })

  test('under a name that is taken is refused with both named, and the first goes on', async () => {
    const second = startAgent(host.identifier, service.local.join)
    const output = await until(
      'the second is told',
      () => second.process.output().includes(host.identifier) && second.process.output(),
    )
    await until('the refusal names the one that has the name', () =>
      second.process.output().includes(host.instance_id),
    )
    expect(output).toContain(host.identifier)
    await second.process.stop('SIGTERM').catch(() => {})
    rmSync(second.dir, { recursive: true, force: true })
    const clients = await api.activeClients()
    expect(clients.filter((one) => one.identifier === host.identifier)).toMatchObject([
      { instance_id: host.instance_id, targetable: true },
    ])
    const id = await api.attack(cpuAttack('-l 1 -p 1', { type: 'Exact', exact: [host.identifier] }))
    expect(await api.finished(id)).toMatchObject([{ stage: 'Successful' }])
  })

  test('with a wrong secret or a wrong fingerprint does not get in', async () => {
    const wrong = [
      service.local.join.replace(/secret=[^&]+/, 'secret=wrong'),
      service.local.join.replace(/ca=\w+/, `ca=${'0'.repeat(64)}`),
      service.local.join.replace(/\/[0-9a-f-]{36}\?/, '/00000000-0000-4000-8000-000000000000?'),
    ]
    for (const [index, join] of wrong.entries()) {
      const agent = startAgent(`intruder-${index}`, join)
      await until('it says why', () => /secret|certificate authority/.test(agent.process.output()))
      await until('it gives up', () => agent.process.hasEnded())
      expect(await agent.process.ended).toMatchObject({ code: 1 })
      expect(agent.process.output()).not.toContain('secret=')
      rmSync(agent.dir, { recursive: true, force: true })
    }
    const { active, idle } = await api.get<Clients>('/clients')
    expect([...active, ...idle].filter((one) => /intruder/.test(one.identifier))).toEqual([])
  })
})

describe('revoking a host', () => {
  test('cuts its agent off at once and ends what it runs; activating lets it back', async () => {
    const agent = startAgent('host-r', service.local.join)
    await untilTargetable(api, 'host-r')
    const idle = descendants(agent.process.pid)
    const exact = { type: 'Exact', exact: ['host-r'] }
    const id = await api.attack(cpuAttack('-l 600 -p 10', exact))
    await api.running(id)
    const burners = descendants(agent.process.pid).filter(
      (one) => !idle.some((old) => old.pid === one.pid),
    )
    expect(burners.length).toBeGreaterThan(0)

    const answer = await api.send('DELETE', '/clients/host-r')
    expect(answer).toMatchObject({ status: 200, text: 'Success' })
    await until('its fault is over', () => stillThere(burners).length === 0, 3000)
    const { active, inactive } = await api.get<Clients>('/clients')
    expect(named(active, 'host-r')).toBeUndefined()
    expect(named(inactive, 'host-r')).toMatchObject({ state: 'REVOKED', targetable: false })
    const { error } = await api.refused(cpuAttack('-l 1', exact))
    expect(error).toMatchObject({ code: 'target_not_found' })
    const [execution] = await api.finished(id)
    expect(execution?.stage).toBe('ClientAborted')

    await agent.process.stop('SIGTERM').catch(() => {})
    const stubborn = startAgent('host-r', service.local.join, {}, agent.dir)
    await until('it is told that it is revoked', () => /revoked/i.test(stubborn.process.output()))
    await stubborn.process.stop('SIGTERM').catch(() => {})
    expect(named(await api.activeClients(), 'host-r')).toBeUndefined()

    expect(await api.send('PUT', '/clients/host-r/activate')).toMatchObject({
      status: 200,
      text: 'Success',
    })
    await using _back = startAgent('host-r', service.local.join, {}, agent.dir)
    await untilTargetable(api, 'host-r')
    const again = await api.attack(cpuAttack('-l 1 -p 1', exact))
    expect(await api.finished(again)).toMatchObject([{ stage: 'Successful' }])
  })

  test('leaves the other hosts alone', async () => {
    const client = named(await api.activeClients(), host.identifier)
    expect(client).toMatchObject({ targetable: true, instance_id: host.instance_id })
  })
})
