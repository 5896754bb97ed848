import { describe, expect, it } from 'vitest'
import { peersToProbe, readEndpoint } from './peers.ts'
import type { TrafficPlan } from './ruleset.ts'

const first = (port: number) => ({ address: '10.0.0.1', port })
const second = (port: number) => ({ address: '10.0.0.2', port })

describe('an endpoint in /proc/net/tcp', () => {
  it.each([
    ['0100007F:1F90', '127.0.0.1', 8080],
    ['02004D0A:01BB', '10.77.0.2', 443],
    ['000000000000000000000000010000FF:0035', '::ff00:1', 53],
    ['000080FE00000000FF5D1A02A0C83EFE:0016', 'fe80::21a:5dff:fe3e:c8a0', 22],
    ['0000000000000000FFFF00000500000A:0016', '10.0.0.5', 22],
    ['B80D0120000000000000000001000000:FFFF', '2001:db8::1', 65_535],
  ])('%s is %s port %i', (text, address, port) => {
    expect(readEndpoint(text)).toEqual({ address, port })
  })
})

describe('peers to probe', () => {
  const any = { only: [], not: [] }
  const everything: TrafficPlan = {
    devices: ['eth0'],
    chosen: undefined,
    spared: [],
    sparedEndpoints: [],
    remotePorts: any,
    localPorts: any,
    protocols: any,
    sparesDhcp: true,
    sparedLocalPort: 61_001,
  }
  const talking = [first(443), first(8443), first(50_000), second(443), second(443)]

  it.each<[string, Partial<TrafficPlan>, object[]]>([
    ['each address, by a port nobody listens on', {}, [first(9), second(9)]],
    [
      'with ports, each of the chosen ones',
      { remotePorts: { only: ['443', '8443'], not: [] } },
      [first(443), first(8443), second(443)],
    ],
    ['one that is named and talked to', { chosen: ['10.0.0.2'] }, [second(9)]],
    ['none that is spared', { spared: ['10.0.0.1'] }, [second(9)]],
  ])('are, once: %s', (_, narrowed, peers) => {
    expect(peersToProbe({ ...everything, ...narrowed }, talking)).toEqual(peers)
  })
})
