import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HostState } from '../support/host-state.ts'
import { expectSameState } from '../support/host-state.ts'
import {
  answerMs,
  blackholed,
  halt,
  joinHost,
  silentMs,
  startAttack,
  surprises,
} from '../support/network-attack.ts'
import { far, near, networkHost, type NetworkHost } from '../support/network-host.ts'

const controllerPort = 7443
let host: NetworkHost
let before: HostState
beforeAll(async () => {
  host = await networkHost()
  joinHost(host, `${far.first}:${controllerPort}`)
  await host.far.serve(53, 67, 9000, controllerPort)
  await host.near.serve(9000)
})
afterAll(() => host[Symbol.asyncDispose]())
beforeEach(async () => {
  before = await host.state()
})
afterEach(async () => expectSameState(before, await host.state()))

/** Every way to reach somebody, by both families and over both wires. */
const outward = {
  udp: { how: 'udp', address: far.first, port: 9000 },
  'udp that wants errors': { how: 'udp', address: far.first, port: 9000, wantsErrors: true },
  'udp6 that wants errors': { how: 'udp', address: far.first6, port: 9000, wantsErrors: true },
  fragments: { how: 'udp', address: far.first, port: 9000, bytes: 5000 },
  fragments6: { how: 'udp', address: far.first6, port: 9000, bytes: 5000 },
  tcp: { how: 'tcp', address: far.second, port: 9000 },
  tcp6: { how: 'tcp', address: far.second6, port: 9000 },
  'the other wire': { how: 'tcp', address: far.otherWire, port: 9000 },
  ping: { how: 'ping', address: far.first },
  ping6: { how: 'ping', address: far.first6 },
  'a port that nobody serves': { how: 'tcp', address: far.first, port: 99 },
  'an unserved port that wants errors': {
    how: 'udp',
    address: far.first,
    port: 99,
    wantsErrors: true,
  },
} as const
const inward = {
  udp: { how: 'udp', address: near.wire, port: 9000 },
  udp6: { how: 'udp', address: near.wire6, port: 9000 },
  tcp: { how: 'tcp', address: near.wire, port: 9000 },
  tcp6: { how: 'tcp', address: near.wire6, port: 9000 },
  'the other wire': { how: 'udp', address: near.otherWire, port: 9000 },
  ping: { how: 'ping', address: near.wire },
} as const
const controller = { how: 'tcp', address: far.first, port: controllerPort } as const
const everywhere = (tries: object, outcome: string) =>
  Object.fromEntries(Object.keys(tries).map((name) => [name, outcome]))
const healthy = {
  ...everywhere(outward, 'answered'),
  'a port that nobody serves': 'ECONNREFUSED',
  'an unserved port that wants errors': 'ECONNREFUSED',
}

describe('a blackhole of everything', () => {
  it('is silent for every kind of socket, delivers nothing either way, and heals', async () => {
    expect(await host.near.attempt(outward, answerMs)).toEqual(healthy)
    expect(await host.far.attempt(inward, answerMs)).toEqual(everywhere(inward, 'answered'))
    const arrived = [await host.near.received(), await host.far.received()]
    const attack = await startAttack(host, 'blackhole', ['-l', '60'])
    const seen = [
      await host.near.attempt(outward, silentMs),
      await host.far.attempt(inward, silentMs),
      [await host.near.received(), await host.far.received()],
      // The controller of the team that the host belongs to.
      await surprises(host.near, { controller }, []),
    ]
    const result = await halt(attack)
    expect(seen).toEqual([everywhere(outward, 'silent'), everywhere(inward, 'silent'), arrived, {}])
    expect(result).toMatchObject({
      reason: 'halted',
      backend: 'nft drop, both directions, on eth0, eth1',
      measured: { metric: 'dropped', value: 100 },
    })
    expect(await host.near.attempt(outward, answerMs)).toEqual(healthy)
    expect(await host.far.attempt(inward, answerMs)).toEqual(everywhere(inward, 'answered'))
  })

  it('kills connections that are open already, seen from both ends, and they go on after it', async () => {
    await host.near.open('out', far.first, 9000)
    await host.far.open('in', near.wire6, 9000)
    const words = (withinMs: number) =>
      Promise.all([host.near.say('out', withinMs), host.far.say('in', withinMs)])
    expect(await words(answerMs)).toEqual(['answered', 'answered'])
    expect(await blackholed(host, [], () => words(silentMs))).toEqual(['silent', 'silent'])
    // What was sent meanwhile is sent again by the kernel, less and less often.
    expect(await words(answerMs)).toEqual(['answered', 'answered'])
  })

  it('spares DNS, DHCP and the control plane in both directions, unless told otherwise', async () => {
    const spared = {
      dns: { how: 'udp', address: far.third, port: 53 },
      'dns over tcp': { how: 'tcp', address: far.first6, port: 53 },
      dhcp: { how: 'udp', address: far.first, port: 67, localPort: 68 },
      controller,
      controller6: { how: 'tcp', address: far.first6, port: controllerPort },
    } as const
    const hit = {
      'another port of the controller': { how: 'tcp', address: far.first, port: 9000 },
      'its port elsewhere': { how: 'tcp', address: far.second, port: controllerPort },
      'its port over UDP': { how: 'udp', address: far.first, port: controllerPort },
    } as const
    const tries = { ...spared, ...hit }
    const endpoints = [far.first, far.first6].map((address) => ({ address, port: controllerPort }))
    await host.near.open('session', far.first, controllerPort)
    const look = (silent: object, withinMs: number) => async () => ({
      surprises: await surprises(host.near, tries, Object.keys(silent)),
      session: await host.near.say('session', withinMs),
    })
    expect(await blackholed(host, [], look(hit, answerMs), endpoints)).toEqual({
      surprises: {},
      session: 'answered',
    })
    // By default a name spares the control plane, even where nothing is spared by itself.
    const { controller: _, controller6: __, ...others } = tries
    const nothingElse = ['-E', '-p', '^1']
    expect(await blackholed(host, nothingElse, look(others, answerMs), endpoints)).toEqual({
      surprises: {},
      session: 'answered',
    })
    const everything = [...nothingElse, '-h', '^localhost']
    expect(await blackholed(host, everything, look(tries, silentMs), endpoints)).toEqual({
      surprises: {},
      session: 'silent',
    })
  })

  it('touches neither ARP nor neighbour discovery: who is excluded stays reachable', async () => {
    const tries = {
      v4: { how: 'tcp', address: far.second, port: 9000 },
      v6: { how: 'tcp', address: far.second6, port: 9000 },
      hit: outward.udp,
    } as const
    const seen = await blackholed(host, ['-i', `^${far.second},^${far.second6}`], async () => {
      for (const family of ['-4', '-6']) {
        await host.tool('ip', family, 'neigh', 'flush', 'all')
        await host.farTool('ip', family, 'neigh', 'flush', 'all')
      }
      return [
        await surprises(host.near, tries, ['hit']),
        await host.tool('ip', 'neigh', 'show', far.first),
      ]
    })
    expect(seen).toEqual([{}, expect.stringContaining('lladdr')])
  })
})
