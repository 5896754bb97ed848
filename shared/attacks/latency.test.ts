import { describe, expect, test } from 'vitest'
import { flagName, paramSpecs, parseArgs } from './args.ts'
import type { AttackType } from './define.ts'
import { latency } from './latency.ts'

const type = latency as unknown as AttackType
const parse = (line: string) => parseArgs(type, line.split(' ').filter(Boolean)) as never

describe('latency', () => {
  test('has the flags, defaults and limits of the known interface', () => {
    const table = paramSpecs(type).map(({ flag, schema }) => [flagName(flag), schema.default])
    expect(table).toEqual([
      ['-l/--length', 60],
      ['-m/--ms', 100],
      ['-i/--ipaddress', []],
      ['-d/--device', []],
      ['-h/--hostname', ['^api.gremlin.com']],
      ['-p/--egress-port', ['^53']],
      ['-s/--src-port', []],
      ['-P/--ipprotocol', []],
      ['-E/--no-derived-exclusion-rules', false],
    ])
  })

  test.each(['1', '60000'])('a delay of %s ms is at a limit and allowed', (ms) => {
    expect(parse(`-m ${ms}`)).toMatchObject({ delayMs: Number(ms) })
  })

  test.each(['0', '60001', '-5', '1.5', '100ms', ''])('a delay of "%s" is not', (ms) => {
    expect(() => parseArgs(type, ['-m', ms])).toThrow(
      `-m/--ms cannot be "${ms}". Allowed: a whole number from 1 to 60000 (ms).`,
    )
  })

  test('asks for its delay in milliseconds, for as long as it is said to last', () => {
    const params = parse('-m 250 -l 30')
    expect(latency.requested(params, { cores: 2 })).toEqual({
      metric: 'added_delay',
      value: 250,
      unit: 'ms',
      detail: {},
    })
    expect(latency.lengthSeconds(params)).toBe(30)
    expect(latency.goesDown).toBeUndefined()
  })
})
