import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseDevices } from '../../agent/network/devices.ts'
import { namespaceOf, type NamespaceRef } from '../../agent/network/namespace.ts'
import { targetOf } from '../support/network-attack.ts'
import { networkHost, type NetworkHost } from '../support/network-host.ts'

let host: NetworkHost
let namespace: NamespaceRef
beforeAll(async () => {
  host = await networkHost()
  namespace = namespaceOf(targetOf(host)) as NamespaceRef
  // A bridge of containers with one of them, which gives each of them an address of its link.
  const lines = [
    'link add br0 type bridge',
    'link add c0 type veth peer name c1',
    'link set c0 master br0 up',
    'link set c1 up',
    'link set br0 up',
    'address add 172.30.0.1/16 dev br0',
    'route add 10.90.0.0/16 nexthop via 10.77.0.2 dev eth0 nexthop via 10.78.0.2 dev eth1',
    'route add 10.91.0.0/16 via 10.78.0.2 table 91',
    'rule add to 10.91.0.0/16 table 91',
    'link set c1 down',
    // A pod by itself, as without a bridge.
    'link add pod0 type veth peer name pod1',
    'link set pod0 up',
    'route add 172.31.0.7 dev pod0',
  ]
  for (const line of lines) await host.tool('ip', ...line.split(' '))
})
afterAll(() => host[Symbol.asyncDispose]())

const anyDevice = { only: [], not: [] }
const choose = async (
  addresses: string[],
  devices: Partial<typeof anyDevice> = {},
  hasNames = false,
) => {
  const wanted = { ...anyDevice, ...devices }
  return (await chooseDevices(namespace, wanted, { addresses, hasNames })).names
}

describe('the devices of the traffic', () => {
  it.each<[string, string[], string[]]>([
    [
      'everything: all with a route, not loopback, no bridge of containers, none of its ports, no pod',
      [],
      ['eth0', 'eth1'],
    ],
    ['an address', ['10.78.0.2'], ['eth1']],
    ['an address of v6', ['fd78::2'], ['eth1']],
    ['an address by a rule of routing', ['10.91.0.1'], ['eth1']],
    ['an address that the default route leads to', ['192.0.2.1'], ['eth0']],
    ['an address in a container', ['172.30.0.9'], ['br0']],
    ['an address of a pod', ['172.31.0.7'], ['pod0']],
    ['a small block', ['10.78.0.0/30'], ['eth1']],
    ['a block on both sides of a border', ['10.76.0.0/14'], ['eth0', 'eth1']],
    ['a wide block', ['10.0.0.0/8'], ['eth0', 'eth1']],
    ['the block of the containers', ['172.30.0.0/16'], ['br0']],
    ['a block by several ways', ['10.90.1.0/24'], ['eth0', 'eth1']],
    ['a block by a rule of routing, or by default', ['10.91.4.0/24'], ['eth0', 'eth1']],
    ['a block of links: not the ports of a bridge', ['fe80::/10'], ['br0', 'eth0', 'eth1']],
    ['the whole internet', ['0.0.0.0/0'], ['br0', 'eth0', 'eth1', 'pod0']],
    [
      'more addresses than are asked for one by one',
      Array.from({ length: 300 }, (_, i) => `10.78.1.${i % 250}`).concat('10.78.0.2'),
      ['eth0', 'eth1'],
    ],
  ])('%s', async (_, addresses, devices) => {
    expect(await choose(addresses)).toEqual(devices)
  })

  it('are all of them for names, whose addresses may change', async () => {
    expect(await choose(['10.78.0.2'], {}, true)).toEqual(['eth0', 'eth1'])
    expect(await choose(['172.30.0.2'], {}, true)).toEqual(['br0', 'eth0', 'eth1'])
  })

  it('are those that are named', async () => {
    expect(await choose([], { only: ['lo', 'c0'] as never })).toEqual(['c0', 'lo'])
    expect(await choose(['10.78.0.2'], { not: ['eth0'] as never })).toEqual(['eth1'])
  })

  it.each<[string, string[], object, RegExp]>([
    [
      'does not exist',
      [],
      { only: ['eth9'] },
      /-d\/--device: there is no network device eth9\. There are: lo, /,
    ],
    ['is spared and does not exist', [], { not: ['eth9'] }, /no network device eth9/],
    [
      'is spared and the only one',
      ['10.78.0.2'],
      { not: ['eth1'] },
      /spares every network device that carries the traffic \(eth1\)/,
    ],
    [
      'is loopback',
      ['127.0.0.1', '10.77.0.1'],
      {},
      /-d\/--device: 127\.0\.0\.1, 10\.77\.0\.1 is reached over loopback/,
    ],
  ])('are refused when one %s', async (_, addresses, devices, message) => {
    await expect(choose(addresses, devices)).rejects.toThrow(message)
  })

  it('are refused when one has a name that nft cannot write', async () => {
    await host.tool('ip', 'link', 'set', 'c1', 'name', 'x";}*')
    await host.tool('ip', 'link', 'set', 'x";}*', 'up')
    await host.tool('ip', 'address', 'add', '10.92.0.1/24', 'dev', 'x";}*')
    await expect(choose([])).rejects.toThrow(/The network device "x\\";}\*" carries the traffic/)
    expect(await choose(['10.78.0.2'])).toEqual(['eth1'])
  })
})
