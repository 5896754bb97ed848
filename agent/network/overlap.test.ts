import { describe, expect, it } from 'vitest'
import { plansOverlap } from './overlap.ts'
import type { TrafficPlan } from './ruleset.ts'

const anything = { only: [], not: [] }
const only = (...items: string[]) => ({ only: items, not: [] })
const not = (...items: string[]) => ({ only: [], not: items })
const everything: TrafficPlan = {
  devices: ['eth0', 'eth1'],
  chosen: undefined,
  spared: [],
  sparedEndpoints: [],
  remotePorts: anything,
  localPorts: anything,
  protocols: anything,
  sparesDhcp: true,
  sparedLocalPort: undefined,
}

describe('two plans', () => {
  it.each<[string, Partial<TrafficPlan>, Partial<TrafficPlan>]>([
    ['devices', { devices: ['eth0'] }, { devices: ['eth1'] }],
    ['addresses', { chosen: ['10.0.0.1'] }, { chosen: ['10.0.0.2', 'fd00::1'] }],
    ['families', { chosen: ['0.0.0.0/0'] }, { chosen: ['::/0'] }],
    [
      'an exclusion of all that the other chooses',
      { chosen: ['10.0.0.0/24'] },
      { spared: ['10.0.0.0/8'] },
    ],
    ['remote ports', { remotePorts: only('80', '8000-8010') }, { remotePorts: only('8011-9000') }],
    ['a port that the other spares', { remotePorts: only('53') }, { remotePorts: not('50-60') }],
    ['local ports', { localPorts: only('22') }, { localPorts: only('23') }],
    ['protocols', { protocols: only('TCP') }, { protocols: only('UDP', 'ICMP') }],
    ['a protocol that the other spares', { protocols: only('ICMP') }, { protocols: not('ICMP') }],
  ])('are apart by %s, in either order', (_, a, b) => {
    expect(plansOverlap({ ...everything, ...a }, { ...everything, ...b })).toBe(false)
    expect(plansOverlap({ ...everything, ...b }, { ...everything, ...a })).toBe(false)
  })

  it.each<[string, Partial<TrafficPlan>, Partial<TrafficPlan>]>([
    ['both are about everything', {}, {}],
    ['one device is the same', { devices: ['eth1', 'eth2'] }, {}],
    ['a block holds an address', { chosen: ['10.0.0.0/8'] }, { chosen: ['192.0.2.1', '10.9.9.9'] }],
    ['a part of a block is spared', { chosen: ['10.0.0.0/8'] }, { spared: ['10.0.0.0/9'] }],
    ['ranges of ports touch', { remotePorts: only('1-80') }, { remotePorts: only('80-90') }],
    ['a remote port is no local one', { remotePorts: only('80') }, { localPorts: only('81') }],
    ['a part of a range is spared', { remotePorts: only('50-60') }, { remotePorts: not('55') }],
    ['one protocol is the same', { protocols: only('TCP', 'UDP') }, { protocols: not('TCP') }],
  ])('overlap when %s', (_, a, b) => {
    expect(plansOverlap({ ...everything, ...a }, { ...everything, ...b })).toBe(true)
    expect(plansOverlap({ ...everything, ...b }, { ...everything, ...a })).toBe(true)
  })
})
