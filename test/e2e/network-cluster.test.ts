import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Execution } from '../../shared/api/records.ts'
import { untilTargetable } from '../support/agent.ts'
import type { Api } from '../support/api.ts'
import { makeLan, type Lan, type LanHost } from '../support/lan.ts'
import { startService, type Service } from '../support/service.ts'
import { until } from '../support/until.ts'

const delayMs = 300
const skipReason = process.getuid?.() === 0 ? '' : 'not root, so there can be no network namespaces'

let service: Service
let api: Api
let lan: Lan
let hosts: LanHost[]

beforeAll(async () => {
  if (skipReason) return
  service = await startService({ TEMBLOR_DEAD_MAN_MS: '5000', TEMBLOR_HEARTBEAT_MS: '1000' })
  api = service.owner
  lan = await makeLan(service.local.join)
  hosts = [
    await lan.addHost('alpha', { TEMBLOR_TAGS: 'zone=east' }),
    await lan.addHost('beta', { TEMBLOR_TAGS: 'zone=east' }),
    await lan.addHost('gamma', { TEMBLOR_TAGS: 'zone=west' }),
  ]
  await Promise.all(hosts.map(({ name }) => untilTargetable(api, name)))
})

afterAll(async () => {
  await lan?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

const attack = (type: string, args: string, target: object) =>
  api.attack({ command: { type, args: args.split(' ') }, target })

/** Which hosts are delayed now. */
async function delayed(): Promise<string[]> {
  const times = await Promise.all(hosts.map((host) => host.connectMs()))
  return hosts.filter((_, index) => (times[index] ?? Infinity) >= delayMs).map((host) => host.name)
}

function hostNamed(name: string): LanHost {
  return hosts.find((host) => host.name === name) as LanHost
}

/** Nothing of ours is left in the host's namespace. */
async function isClean(host: LanHost): Promise<boolean> {
  const ruleset = await host.tool('nft', 'list', 'ruleset')
  const links = await host.tool('ip', '-o', 'link', 'show')
  return ruleset.trim() === '' && links.trim().split('\n').length === 2
}

describe.skipIf(skipReason)(`three hosts${skipReason && `: ${skipReason}`}`, () => {
  test('every host says that it can delay and cut traffic', async () => {
    for (const client of await api.activeClients()) {
      if (!hosts.some(({ name }) => name === client.identifier)) continue
      const host = client.capabilities.filter(({ targeting }) => targeting === 'Host')
      expect(host).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ attack_type: 'latency', status: 'SUCCESS' }),
          expect.objectContaining({ attack_type: 'blackhole', status: 'SUCCESS' }),
        ]),
      )
    }
  })

  test('Random with a tag hits one of the hosts that carry it, and only that', async () => {
    const id = await attack('latency', `-l 60 -m ${delayMs} -i ${lan.far}`, {
      type: 'Random',
      tags: { zone: 'east' },
    })
    const [running] = (await api.running(id)) as [Execution]
    expect(['alpha', 'beta']).toContain(running.client_id)
    expect(await delayed()).toEqual([running.client_id])
    expect(running.requested).toMatchObject({ metric: 'added_delay', value: delayMs })
    await until('it is measured', async () => {
      const [now] = await api.executions(id)
      return now?.measured && Math.abs(now.measured.value - delayMs) < 30
    })
    await api.halt(id)
    expect(await api.finished(id)).toMatchObject([{ stage: 'UserHalted', reason: 'halted' }])
    expect(await delayed()).toEqual([])
    expect(await isClean(hostNamed(running.client_id))).toBe(true)
  })

  test('Exact hits exactly the named hosts, each once, and says how long it really was', async () => {
    const id = await attack('latency', `-l 4 -m ${delayMs} -i ${lan.far}`, {
      type: 'Exact',
      exact: ['alpha', 'gamma'],
    })
    await api.running(id)
    expect(await delayed()).toEqual(['alpha', 'gamma'])
    const over = await api.finished(id)
    expect(over.map(({ stage }) => stage)).toEqual(['Successful', 'Successful'])
    for (const { backend, measured } of over) {
      expect(backend).toMatch(/NFQUEUE|netem/)
      expect(measured?.value).toBeGreaterThan(delayMs - 10)
      expect(measured?.value).toBeLessThan(delayMs + 50)
    }
    expect(await delayed()).toEqual([])
  })

  test('under a full blackhole the agent stays online, and a halt works', async () => {
    const id = await attack('blackhole', '-l 120', { type: 'Exact', exact: ['beta'] })
    await api.running(id)
    expect(await hostNamed('beta').connectMs()).toBeUndefined()
    expect(await hostNamed('alpha').connectMs()).toBeDefined()
    // Longer than the agent would bear without its controller.
    await until(
      'the agent has been heard for longer than its dead-man time',
      async () => {
        const [now] = await api.executions(id)
        const since = Date.parse(now?.start_time ?? '')
        return now?.stage === 'Running' && Date.now() - since > 7000
      },
      20_000,
    )
    await api.halt(id)
    const [over] = await api.finished(id)
    expect(over).toMatchObject({ stage: 'UserHalted' })
    expect(over?.measured).toMatchObject({ metric: 'dropped', value: 100 })
    expect(await hostNamed('beta').connectMs()).toBeDefined()
    expect(await isClean(hostNamed('beta'))).toBe(true)
  })

  test('one that cuts the controller off as well is taken back by the agent itself', async () => {
    const cutOff = '-l 120 -E -i 10.203.0.0/24 -h ^localhost'
    const id = await attack('blackhole', cutOff, { type: 'Exact', exact: ['gamma'] })
    // That it runs cannot be reported any more; it shows.
    await until(
      'it is cut off',
      async () => (await hostNamed('gamma').connectMs(500)) === undefined,
    )
    await until(
      'traffic passes again, although nobody could reach the agent',
      async () => (await hostNamed('gamma').connectMs(500)) !== undefined,
      20_000,
    )
    expect(await api.finished(id)).toMatchObject([
      { stage: 'ClientAborted', reason: 'controller_lost' },
    ])
    expect(await isClean(hostNamed('gamma'))).toBe(true)
  })

  test('a name to spare that has no address stops it: nobody knows what to spare', async () => {
    // It was cut off for longer than its lease, and tells of that before it is aimed at again.
    await untilTargetable(api, 'gamma')
    const id = await attack('blackhole', '-l 120 -h ^elsewhere.invalid', {
      type: 'Exact',
      exact: ['gamma'],
    })
    expect(await api.finished(id)).toMatchObject([
      {
        stage: 'InitializationFailed',
        output: expect.stringContaining('-h/--hostname elsewhere.invalid'),
      },
    ])
    expect(await hostNamed('gamma').connectMs()).toBeDefined()
    expect(await isClean(hostNamed('gamma'))).toBe(true)
  })
})
