import { describe, expect, it } from 'vitest'
import {
  addScript,
  buildRuleset,
  deleteScript,
  refreshScript,
  type Hook,
  type TrafficPlan,
} from './ruleset.ts'

const anything = { only: [], not: [] }
const everything: TrafficPlan = {
  devices: ['eth0'],
  chosen: undefined,
  spared: [],
  sparedEndpoints: [],
  remotePorts: anything,
  localPorts: anything,
  protocols: anything,
  sparesDhcp: false,
  sparedLocalPort: undefined,
}
const wire: Hook[] = [
  { direction: 'egress', verdict: 'fwd to "tb1"' },
  { direction: 'ingress', verdict: 'drop' },
]

/** The rules of each chain, by its name. */
function chains(
  plan: Partial<TrafficPlan>,
  hooks: readonly Hook[] = wire,
): Record<string, string[]> {
  const text = buildRuleset(
    { ...everything, ...plan },
    { table: 't', family: 'netdev', hooks, priority: 290, holdMs: 12_000 },
  )
  const found = [...text.matchAll(/ {2}chain (\w+) \{\n([^}]*(?:\{[^}]*\}[^}]*)*?)\n {2}\}/g)]
  return Object.fromEntries(
    found.map(([, name = '', rules = '']) => [name, rules.split('\n').map((rule) => rule.trim())]),
  )
}

describe('the rules of a fault', () => {
  it('begin with the gate, then spare what keeps a link alive, then hit both families', () => {
    const { egress = [], ingress = [] } = chains({})
    expect(egress[0]).toBe('meta protocol != @live return')
    expect(egress[1]).toMatch(/^icmpv6 type \{ nd-router-solicit.* \} return$/)
    expect(egress.slice(-2)).toEqual([
      'meta protocol ip counter name egress fwd to "tb1"',
      'meta protocol ip6 counter name egress fwd to "tb1"',
    ])
    expect(ingress.slice(-2)).toEqual([
      'meta protocol ip counter name ingress drop',
      'meta protocol ip6 counter name ingress drop',
    ])
  })

  it('see the far end where it is: the destination of what leaves, the source of what comes', () => {
    const { egress = [], ingress = [] } = chains({
      chosen: ['10.0.0.0/8'],
      remotePorts: { only: ['443', '8000-8010'], not: [] },
      localPorts: { only: ['22'], not: [] },
    })
    const ports = '{ tcp, udp, udplite, sctp, dccp }'
    expect(egress.at(-2)).toBe(
      `meta protocol ip ip daddr @chosen4 meta l4proto ${ports} th dport { 443, 8000-8010 } th sport { 22 } counter name egress fwd to "tb1"`,
    )
    expect(ingress.at(-2)).toBe(
      `meta protocol ip ip saddr @chosen4 meta l4proto ${ports} th sport { 443, 8000-8010 } th dport { 22 } counter name ingress drop`,
    )
  })

  it('put every exclusion before every choice', () => {
    const { egress = [] } = chains({
      spared: ['10.0.0.5', 'fd00::/64'],
      sparedEndpoints: [
        { address: '10.0.0.9', port: 7443 },
        { address: 'fd00::9', port: 7443 },
      ],
      sparesDhcp: true,
      protocols: { only: [], not: ['ICMP', 'UDP'] },
      remotePorts: { only: [], not: ['53'] },
    })
    expect(egress.slice(2, -2)).toEqual([
      'ip daddr @spared4 return',
      'ip6 daddr @spared6 return',
      'ip daddr 10.0.0.9 tcp dport 7443 return',
      'ip6 daddr fd00::9 tcp dport 7443 return',
      'udp sport { 68, 546 } udp dport { 67, 547 } return',
      'meta l4proto { icmp, ipv6-icmp, udp, udplite } return',
      'ip frag-off & 0x1fff != 0 return',
      'frag frag-off != 0 return',
      'meta l4proto { tcp, udp, udplite, sctp, dccp } th dport { 53 } return',
    ])
  })

  it('can spare addresses that are not known yet', () => {
    expect(chains({})['egress']).toContain('ip daddr @spared4 return')
  })

  it('hook each device, and loopback once, judged from both ends', () => {
    const all = chains({ devices: ['eth0', 'lo'], remotePorts: { only: [], not: ['53'] } })
    expect(Object.keys(all).toSorted()).toEqual(
      ['base_egress_0', 'base_egress_1', 'base_ingress_0', 'egress', 'ingress', 'loop'].toSorted(),
    )
    expect(all['base_egress_1']).toEqual([
      'type filter hook egress device "lo" priority 290; policy accept;',
      'jump loop',
    ])
    const ports = all['loop']?.filter((rule) => rule.includes('53'))
    expect(ports?.map((rule) => /th (\w+)/.exec(rule)?.[1])).toEqual(['dport', 'sport'])
    expect(all['loop']?.every((rule) => !rule.includes('drop'))).toBe(true)
  })

  it('leave loopback as any device to a fault that only acts on what leaves', () => {
    const all = chains({ devices: ['lo'] }, wire.slice(0, 1))
    expect(Object.keys(all)).toEqual(['egress', 'base_egress_0'])
  })

  it('leave to other devices what only passes one', () => {
    const all = chains({
      devices: ['eth0', 'eth1'],
      passing: [
        { device: 'eth1', mark: { kind: 'vlan', id: 100, isService: false } },
        { device: 'eth1', mark: { kind: 'vlan', id: 7, isService: true } },
        { device: 'eth1', mark: { kind: 'hardware', address: '02:00:00:00:00:01' } },
        { device: 'eth1', mark: { kind: 'addresses', addresses: ['10.0.0.1', 'fe80::1'] } },
      ],
    })
    expect(all['base_egress_0']?.slice(1)).toEqual(['jump egress'])
    const tags = ['vlan id 100 return', 'ether type 8021ad vlan id 7 return']
    expect(all['base_egress_1']?.slice(1)).toEqual([
      ...tags,
      'ether saddr 02:00:00:00:00:01 return',
      'ip saddr { 10.0.0.1 } return',
      'ip6 saddr { fe80::1 } return',
      'jump egress',
    ])
    expect(all['base_ingress_1']?.slice(1)).toEqual([
      ...tags,
      'ether daddr 02:00:00:00:00:01 return',
      'ip daddr { 10.0.0.1 } return',
      'ip6 daddr { fe80::1 } return',
      'jump ingress',
    ])
  })

  it('hold for whole milliseconds, at least one', () => {
    expect(refreshScript('netdev', 't', 0.2)).toContain('ip timeout 1ms, ip6 timeout 1ms')
    expect(refreshScript('netdev', 't', 11_999.7)).toContain('timeout 12000ms')
  })
})

describe('scripts', () => {
  it('add addresses to the set of their family', () => {
    expect(addScript('inet', 't', 'spared', ['10.0.0.1', 'fd00::1', '10.0.0.2'])).toBe(
      'add element inet t spared4 { 10.0.0.1, 10.0.0.2 }\nadd element inet t spared6 { fd00::1 }',
    )
    expect(addScript('inet', 't', 'chosen', ['fd00::1'])).toBe(
      'add element inet t chosen6 { fd00::1 }',
    )
  })

  it('delete a table that may not be there', () => {
    expect(deleteScript('inet', 't')).toBe('add table inet t\ndelete table inet t\n')
  })
})
