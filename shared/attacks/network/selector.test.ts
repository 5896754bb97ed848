import { describe, expect, test } from 'vitest'
import { parseArgs } from '../args.ts'
import { blackhole } from '../blackhole.ts'
import type { AttackType } from '../define.ts'
import { latency } from '../latency.ts'
import type { Values } from '../params.ts'
import { selectorContradiction, selectorOf, type selectorParams } from './selector.ts'

type SelectorParams = Values<typeof selectorParams>

/** The parameters that these flags of a latency attack give. */
const params = (line: string) =>
  parseArgs(
    latency as unknown as AttackType,
    line.split(' ').filter(Boolean),
  ) as unknown as SelectorParams

const everything = { only: [], not: [] }
const byDefault = {
  addresses: everything,
  devices: everything,
  hostnames: everything,
  remotePorts: { only: [], not: ['53'] },
  localPorts: everything,
  protocols: everything,
  sparesControlPlane: true,
  derivesExclusions: true,
}

describe('the traffic that flags choose', () => {
  test.each<[string, object]>([
    ['', {}],
    ['-h ^api.gremlin.com', {}],
    ['-h ^API.GREMLIN.COM.', {}],
    ['-h db', { hostnames: { only: ['db'], not: [] }, sparesControlPlane: false }],
    ['-h db,^api.gremlin.com', { hostnames: { only: ['db'], not: [] } }],
    ['-h ^db -h ^api.gremlin.com,x', { hostnames: { only: ['x'], not: ['db'] } }],
    [
      '-h api.gremlin.com',
      { hostnames: { only: ['api.gremlin.com'], not: [] }, sparesControlPlane: false },
    ],
    ['-p 443', { remotePorts: { only: ['443'], not: [] } }],
    ['-p 80-90,^85', { remotePorts: { only: ['80-90'], not: ['85'] } }],
    ['-s ^22,8080', { localPorts: { only: ['8080'], not: ['22'] } }],
    ['-i 10.0.0.5/8,^10.1.0.0/16', { addresses: { only: ['10.0.0.0/8'], not: ['10.1.0.0/16'] } }],
    ['-d eth0,^lo', { devices: { only: ['eth0'], not: ['lo'] } }],
    ['-P tcp,^icmp', { protocols: { only: ['TCP'], not: ['ICMP'] } }],
    ['-E', { derivesExclusions: false }],
    [
      '-E -h db',
      { derivesExclusions: false, hostnames: { only: ['db'], not: [] }, sparesControlPlane: false },
    ],
  ])('%s', (line, expected) => {
    expect(selectorOf(params(line))).toEqual({ ...byDefault, ...expected })
  })
})

describe('what could never match', () => {
  test.each<[string, string]>([
    ['-P ICMP -p 80', 'remotePorts'],
    ['-P icmp -s 80', 'localPorts'],
    ['-P ICMP -p 80 -s 80', 'remotePorts'],
    ['-P ^TCP,^UDP -p 80', 'remotePorts'],
    ['-P TCP,^TCP -s 1-9', 'localPorts'],
    ['-P TCP,ICMP,^TCP -p 80', 'remotePorts'],
  ])('%s is refused naming the protocol and the port', (line, ports) => {
    const name = ports === 'remotePorts' ? '-p/--egress-port' : '-s/--src-port'
    expect(() => params(line)).toThrow(
      `-P/--ipprotocol and ${name} contradict each other. Only TCP and UDP have ports`,
    )
  })

  test.each([
    '',
    '-P ICMP',
    '-P ICMP -p ^53',
    '-P ICMP -p ^53,^80 -s ^22',
    '-P ICMP,TCP -p 80',
    '-P ^ICMP -p 80',
    '-P ^TCP -p 53',
    '-P UDP -s 53',
    '-p 80',
  ])('%s may match', (line) => {
    expect(selectorContradiction(params(line))).toBeUndefined()
  })

  test('the agent refuses it as well', () => {
    const cut = blackhole as unknown as AttackType
    expect(() => parseArgs(cut, ['-P', 'ICMP', '-n', '80'])).toThrow(
      '-P/--ipprotocol and -n/--ingress-port contradict each other',
    )
  })
})
