import { describe, expect, it } from 'vitest'
import { findPassing, type Link } from './riding-devices.ts'

let made = 0
const link = (ifname: string, rest: Partial<Link> = {}): Link => ({
  ifname,
  ifindex: ++made,
  flags: ['UP'],
  ...rest,
})
const vlan = (id: number, on: string, rest: Partial<Link> = {}): Link =>
  link(`${on}.${id}`, {
    link: on,
    linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1Q', id } },
    ...rest,
  })
const macvlan = (ifname: string, on: string): Link =>
  link(ifname, { link: on, address: '02:00:00:00:00:01', linkinfo: { info_kind: 'macvlan' } })
const tag = (id: number) => ({ kind: 'vlan', id, isService: false })
const hardware = { kind: 'hardware', address: '02:00:00:00:00:01' }

/** What passes eth0, when these have packets of their own. */
const onWire = (links: readonly Link[], ...own: string[]) =>
  findPassing([link('eth0'), ...links], ['eth0'], new Set(['eth0', ...own])).map(({ mark }) => mark)

describe('what passes a device and belongs to another', () => {
  it('is that of a VLAN with packets of its own; another is part of the wire', () => {
    const links = [vlan(100, 'eth0'), vlan(200, 'eth0'), vlan(300, 'eth1')]
    expect(onWire(links, 'eth0.100', 'eth1.300')).toEqual([tag(100)])
    expect(onWire(links)).toEqual([])
  })

  it('is that of a bridge that the VLAN is a part of', () => {
    const links = [vlan(50, 'eth0', { master: 'br50' }), link('br50')]
    expect(onWire(links, 'br50')).toEqual([tag(50)])
    expect(onWire(links)).toEqual([])
  })

  it('is told by its address: of a macvlan, also one above a VLAN of the wire', () => {
    expect(onWire([macvlan('m0', 'eth0')], 'm0')).toEqual([hardware])
    const above = [vlan(50, 'eth0'), macvlan('m0', 'eth0.50')]
    expect(onWire(above, 'm0')).toEqual([hardware])
    expect(onWire(above, 'm0', 'eth0.50')).toEqual([tag(50)])
  })

  it('is told by the addresses of an ipvlan, which has no other', () => {
    const ipvlan = link('i0', {
      link: 'eth0',
      linkinfo: { info_kind: 'ipvlan' },
      addr_info: [{ local: '10.0.0.1' }, { local: 'fe80::1' }],
    })
    const mark = { kind: 'addresses', addresses: ['10.0.0.1', 'fe80::1'] }
    expect(onWire([ipvlan], 'i0')).toEqual([mark])
    expect(onWire([{ ...ipvlan, addr_info: [] }], 'i0')).toEqual([])
  })

  it('is nothing of a device that lies on one in another namespace, or of other kinds', () => {
    const { link: _, ...elsewhere } = macvlan('m0', 'eth0')
    const pair = link('v0', { link: 'eth0', linkinfo: { info_kind: 'veth' } })
    expect(onWire([elsewhere, pair], 'm0', 'v0')).toEqual([])
  })
})
