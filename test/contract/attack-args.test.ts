import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AttackPreview } from '../../shared/api/attacks.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  // Nothing here is to reach a host.
  service = await startService({ TEMBLOR_ALLOW_ATTACKS: 'none', TEMBLOR_FORBID_SHUTDOWN: 'yes' })
})
afterAll(() => service?.[Symbol.asyncDispose]())

const attack = (type: string, ...args: string[]) => ({
  command: { type, args },
  target: { type: 'Random' },
})

async function paramsOf(type: string, ...args: string[]): Promise<AttackPreview['params']> {
  const answer = await service.owner.send('POST', '/attacks/preview', {
    json: attack(type, ...args),
  })
  expect(answer).toMatchObject({ status: 200 })
  return (answer.json as AttackPreview).params
}

const networkDefaults = {
  lengthSeconds: 60,
  addresses: [],
  devices: [],
  hostnames: ['^api.gremlin.com'],
  remotePorts: ['^53'],
  localPorts: [],
  protocols: [],
  noDerivedExclusions: false,
}

describe('arguments as clients of the known interface send them', () => {
  test.each<[string, string[], Record<string, unknown>]>([
    ['latency', [], { ...networkDefaults, delayMs: 100 }],
    [
      'Latency',
      ['-l', '30', '-m', '250', '-h', '^api.gremlin.com', '-p', '^53', '-P', 'TCP'],
      { ...networkDefaults, lengthSeconds: 30, delayMs: 250, protocols: ['TCP'] },
    ],
    [
      'blackhole',
      [
        '-l',
        '60',
        '-h',
        '^api.gremlin.com,^ingest.lightstep.com',
        '-i',
        '10.0.0.5/8',
        '-n',
        '8080',
      ],
      {
        ...networkDefaults,
        hostnames: ['^api.gremlin.com', '^ingest.lightstep.com'],
        addresses: ['10.0.0.0/8'],
        localPorts: ['8080'],
      },
    ],
    [
      'blackhole',
      ['-p', '80', '-p', '443', '--egress_port=8080-8085', '-E'],
      { ...networkDefaults, remotePorts: ['80', '443', '8080-8085'], noDerivedExclusions: true },
    ],
    [
      'shutdown',
      ['-r', '-d', '0'],
      { delayMinutes: 0, reboot: true, crash: false, allowControllerHost: false },
    ],
  ])('%s %j', async (type, args, params) => {
    expect(await paramsOf(type, ...args)).toEqual(params)
  })
})

describe('arguments that are refused', () => {
  const long = 'x'.repeat(10_000)
  test.each<[string, string[], string, string]>([
    ['latency', ['-i', '10.0.0.256'], '-i/--ipaddress', '10.0.0.256'],
    ['latency', ['-i', '10.0.0.1,,10.0.0.2'], '-i/--ipaddress', ''],
    ['latency', ['-i', '$(reboot)::1'], '-i/--ipaddress', '$(reboot)::1'],
    ['latency', ['-h', '10.0.0.1'], '-h/--hostname', '10.0.0.1'],
    ['latency', ['-h', long], '-h/--hostname', `${'x'.repeat(100)}… (10000 characters)`],
    ['latency', ['-p', '80 } accept; drop'], '-p/--egress-port', '80 } accept; drop'],
    ['latency', ['-d', 'eth0\0'], '-d/--device', 'eth0\0'],
    ['latency', ['-d', 'eth0; drop'], '-d/--device', 'eth0; drop'],
    ['blackhole', ['-n', '80-79'], '-n/--ingress-port', '80-79'],
    ['blackhole', ['-P', 'SCTP'], '-P/--ipprotocol', 'SCTP'],
    ['shutdown', ['-d', '1441'], '-d/--delay', '1441'],
  ])(
    '%s %j is a 400 that names flag and value, and starts nothing',
    async (type, args, flag, value) => {
      const { status, error } = await service.owner.refused(attack(type, ...args))
      expect({ status, code: error.code }).toEqual({ status: 400, code: 'invalid_argument' })
      expect(error.details).toMatchObject({ field: 'command.args', flag, value })
      expect(error.message).toContain('Allowed: ')
      expect(error.message.length).toBeLessThan(500)
      expect(await service.owner.attacks()).toEqual([])
    },
  )
})
