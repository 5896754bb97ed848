import { describe, expect, test } from 'vitest'
import { flagName, formatArgs, paramSpecs, parseArgs } from './args.ts'
import type { AttackType } from './define.ts'
import { shutdown } from './shutdown.ts'

const type = shutdown as unknown as AttackType
const parse = (line: string) => parseArgs(type, line.split(' ').filter(Boolean)) as never
const defaults = { delayMinutes: 1, reboot: false, crash: false, allowControllerHost: false }

describe('the flags of shutdown', () => {
  test('are those of the known interface and two of its own; there is no length', () => {
    const table = paramSpecs(type).map(({ flag, schema }) => [flagName(flag), schema.default])
    expect(table).toEqual([
      ['-d/--delay', 1],
      ['-r/--reboot', false],
      ['--crash', false],
      ['--allow-controller-host', false],
    ])
    expect(() => parse('-l 60')).toThrow('shutdown has no flag -l')
  })

  test.each<[string, object]>([
    ['', {}],
    ['-d 0', { delayMinutes: 0 }],
    ['-r -d 0', { delayMinutes: 0, reboot: true }],
    ['-d1440', { delayMinutes: 1440 }],
    ['--delay=5 --reboot=true', { delayMinutes: 5, reboot: true }],
    ['--crash', { crash: true }],
    ['--crash --reboot=false', { crash: true }],
    ['--allow_controller_host', { allowControllerHost: true }],
  ])('%s', (line, expected) => {
    const params = parse(line)
    expect(params).toEqual({ ...defaults, ...expected })
    expect(parseArgs(type, formatArgs(type, params))).toEqual(params)
  })

  test.each(['-1', '1441', '0.5', '1m', ''])('a delay of "%s" is refused', (delay) => {
    expect(() => parseArgs(type, ['-d', delay])).toThrow(
      `-d/--delay cannot be "${delay}". Allowed: a whole number from 0 to 1440 (min).`,
    )
  })

  test('to start again and to crash are two things', () => {
    expect(() => parse('-r --crash')).toThrow('-r/--reboot and --crash contradict each other')
  })
})

describe('what a shutdown does', () => {
  test('it is over when its delay, in minutes, is', () => {
    expect(shutdown.lengthSeconds(parse('-d 5'))).toBe(300)
    expect(shutdown.lengthSeconds(parse('-d 0'))).toBe(0)
    expect(shutdown.requested(parse('-d 5'), { cores: 1 })).toMatchObject({
      metric: 'shutdown',
      detail: { delay_seconds: 300 },
    })
  })

  test('a host goes down, and comes back by itself only from a reboot', () => {
    expect(shutdown.goesDown?.(parse(''), 'Host')).toMatchObject({ comesBack: false })
    expect(shutdown.goesDown?.(parse('-r'), 'Host')).toMatchObject({ comesBack: true })
    expect(shutdown.goesDown?.(parse('-r'), 'Container')).toBeUndefined()
  })

  test('whoever powers a host off is told that it will not come back', () => {
    expect(shutdown.warnings?.(parse(''), 'Host').join()).toContain('not come back by itself')
    expect(shutdown.warnings?.(parse('-r'), 'Host')).toEqual([])
  })
})
