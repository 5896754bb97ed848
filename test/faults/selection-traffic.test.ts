import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blackholed, surprises } from '../support/network-attack.ts'
import { far, near, networkHost, type NetworkHost } from '../support/network-host.ts'

let host: NetworkHost
beforeAll(async () => {
  host = await networkHost()
  await host.far.serve(53, 9000, 9001)
  await host.near.serve(9000, 9001)
})
afterAll(() => host[Symbol.asyncDispose]())

/** What is tried while the attack is there; named by who is reached, and how. */
const outward = {
  'first 9000': { how: 'tcp', address: far.first, port: 9000 },
  'first 9001': { how: 'tcp', address: far.first, port: 9001 },
  'first 9001 udp': { how: 'udp', address: far.first, port: 9001 },
  'first 9001 udp from 5555': { how: 'udp', address: far.first, port: 9001, localPort: 5555 },
  'first ping': { how: 'ping', address: far.first },
  'first dns': { how: 'tcp', address: far.first, port: 53 },
  'second 9000': { how: 'tcp', address: far.second, port: 9000 },
  'second 9001': { how: 'tcp', address: far.second, port: 9001 },
  'first6 9000': { how: 'tcp', address: far.first6, port: 9000 },
  'first6 9001 udp': { how: 'udp', address: far.first6, port: 9001 },
  'first6 ping': { how: 'ping', address: far.first6 },
  'second6 9000': { how: 'tcp', address: far.second6, port: 9000 },
  'other 9000': { how: 'tcp', address: far.otherWire, port: 9000 },
  'other6 9000': { how: 'tcp', address: far.otherWire6, port: 9000 },
} as const
const inward = {
  'to 9000': { how: 'tcp', address: near.wire, port: 9000, localAddress: far.first },
  'to 9001': { how: 'tcp', address: near.wire, port: 9001, localAddress: far.first },
  'to6 9001 udp': { how: 'udp', address: near.wire6, port: 9001, localAddress: far.first6 },
} as const

const all = [...Object.keys(outward), ...Object.keys(inward)]
const like = (pattern: RegExp) => all.filter((name) => pattern.test(name))
const unlike = (pattern: RegExp) => all.filter((name) => !pattern.test(name))

/** The flags, and everything that is silent while an attack with them is there. */
const cases: Record<string, [flags: string[], silent: string[]]> = {
  'one address, port 53 of it aside': [['-i', far.second], like(/^second 9/)],
  'overlapping blocks of both families': [
    ['-i', '10.77.0.2/31,fd77::/126', '-i', '10.77.0.2', '-i', '10.77.0.0/30'],
    like(/^(first|second|to)6? (9|ping)/),
  ],
  'everything but a block and an address in another one: exclusions win': [
    ['-i', `0.0.0.0/0,::/0,^${far.first6},^10.77.0.3/32`],
    like(/^(first (9|ping)|second6|other|to )/),
  ],
  'a port and an address together': [['-i', far.first, '-p', '9001,9002'], like(/^first 9001/)],
  'a range of ports, of both families': [['-p', '9000-9010'], like(/^(first|second|other)6? 9/)],
  'all ports but one, which means DNS too': [['-p', '^9001'], unlike(/^(first|second)6? 9001/)],
  'local ports, whoever connects': [['-n', '5555,9001'], like(/from 5555|^to6? 9001/)],
  'all local ports but one': [['-n', '^9001'], unlike(/^to6? 9001|dns/)],
  'a remote and a local port together': [['-p', '9001', '-n', '5555'], like(/from 5555/)],
  UDP: [['-P', 'udp'], like(/udp/)],
  'TCP to one port': [
    ['-P', 'TCP', '-p', '9001'],
    ['first 9001', 'second 9001'],
  ],
  'ICMP of both families': [['-P', 'ICMP'], like(/ping/)],
  'everything but ICMP': [['-P', '^ICMP'], unlike(/ping|dns/)],
  'one device': [['-d', 'eth1'], like(/^other/)],
  'all devices but one': [['-d', '^eth0'], like(/^other/)],
  'an address on a device that does not lead there: nothing': [['-d', 'eth1', '-i', far.first], []],
  'DNS when its port is asked for': [['-p', '53'], ['first dns']],
}

describe('a blackhole hits exactly', () => {
  it.each(Object.entries(cases))('%s', async (_, [flags, silent]) => {
    const seen = await blackholed(host, flags, async () => ({
      ...(await surprises(host.near, outward, silent)),
      ...(await surprises(host.far, inward, silent)),
    }))
    expect(seen).toEqual({})
  })
})

describe('loopback, when it is named', () => {
  const tries = {
    dns: { how: 'udp', address: '127.0.0.1', port: 53 },
    dns6: { how: 'tcp', address: '::1', port: 53 },
    controller: { how: 'tcp', address: '127.0.0.1', port: 9001 },
    'udp 9000': { how: 'udp', address: '127.0.0.1', port: 9000 },
    'tcp6 9001': { how: 'tcp', address: '::1', port: 9001 },
    ping: { how: 'ping', address: '127.0.0.1' },
    wire: { how: 'udp', address: far.first, port: 9000 },
  } as const
  beforeAll(() => host.near.serve(53))

  it.each<[string[], string[]]>([
    [[], ['udp 9000', 'tcp6 9001', 'ping']],
    [['-p', '9001'], ['tcp6 9001']],
    [['-n', '9000'], ['udp 9000']],
    [['-i', '127.0.0.1', '-P', '^ICMP'], ['udp 9000']],
  ])(
    'spares DNS and the control plane, whichever end they are: -d lo %j',
    async (flags, silent) => {
      const controller = [{ address: '127.0.0.1', port: 9001 }]
      const look = () => surprises(host.near, tries, silent)
      expect(await blackholed(host, ['-d', 'lo', ...flags], look, controller)).toEqual({})
    },
  )
})
