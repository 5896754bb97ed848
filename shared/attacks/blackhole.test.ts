import { describe, expect, test } from 'vitest'
import { flagName, paramSpecs, parseArgs } from './args.ts'
import { blackhole } from './blackhole.ts'
import type { AttackType } from './define.ts'

const type = blackhole as unknown as AttackType

describe('blackhole', () => {
  test('has the flags and defaults of the known interface', () => {
    const table = paramSpecs(type).map(({ flag, schema }) => [flagName(flag), schema.default])
    expect(table).toEqual([
      ['-l/--length', 60],
      ['-i/--ipaddress', []],
      ['-d/--device', []],
      ['-h/--hostname', ['^api.gremlin.com']],
      ['-p/--egress-port', ['^53']],
      ['-n/--ingress-port', []],
      ['-P/--ipprotocol', []],
      ['-E/--no-derived-exclusion-rules', false],
    ])
  })

  test('asks for every packet, for as long as it is said to last', () => {
    const params = parseArgs(type, ['-l', '5', '-n', '8080']) as never
    expect(blackhole.requested(params, { cores: 2 })).toEqual({
      metric: 'dropped',
      value: 100,
      unit: 'percent_of_packets',
      detail: {},
    })
    expect(blackhole.lengthSeconds(params)).toBe(5)
  })
})
