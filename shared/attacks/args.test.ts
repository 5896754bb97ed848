import { describe, expect, test } from 'vitest'
import {
  ArgsError,
  allowedValues,
  checkParams,
  flagName,
  formatArgs,
  paramSpecs,
  parseArgs,
} from './args.ts'
import { findAttackType } from './index.ts'
import type { AttackType } from './define.ts'

const cpu = findAttackType('cpu') as AttackType
const defaults = { lengthSeconds: 60, cores: 1, allCores: false, percent: 100 }

/** Splits on spaces, so that a table of spellings reads like a command line. */
const parse = (line: string) => parseArgs(cpu, line === '' ? [] : line.split(' '))

function refusal(args: readonly string[]): ArgsError {
  try {
    parseArgs(cpu, args)
  } catch (error) {
    if (error instanceof ArgsError) return error
    throw error
  }
  throw new Error(`accepted: ${args.join(' ')}`)
}

describe('accepted spellings', () => {
  test('nothing given means the defaults', () => {
    expect(parse('')).toEqual(defaults)
  })

  const numbers = [
    { name: 'lengthSeconds', short: 'l', long: 'length', value: 30 },
    { name: 'cores', short: 'c', long: 'cores', value: 2 },
    { name: 'percent', short: 'p', long: 'percent', value: 50 },
  ]
  const numberSpellings = numbers.flatMap(({ name, short, long, value }) =>
    [
      `-${short} ${value}`,
      `-${short}${value}`,
      `-${short}=${value}`,
      `--${long} ${value}`,
      `--${long}=${value}`,
    ].map((line) => ({ line, expected: { ...defaults, [name]: value } })),
  )
  test.each(numberSpellings)('$line', ({ line, expected }) => {
    expect(parse(line)).toEqual(expected)
  })

  const on = ['-a', '--all-cores', '--all_cores', '-a=true', '--all-cores=true', '--all_cores=TRUE']
  test.each(on)('%s loads every core', (line) => {
    expect(parse(line)).toEqual({ ...defaults, allCores: true })
  })

  const off = ['-a=false', '--all-cores=false', '--all_cores=False']
  test.each(off)('%s is the same as leaving it out', (line) => {
    expect(parse(line)).toEqual(defaults)
  })

  test('all flags together, in any order and mixed spellings', () => {
    expect(parse('-p50 --length=30 -c 2')).toEqual({
      ...defaults,
      lengthSeconds: 30,
      cores: 2,
      percent: 50,
    })
    expect(parse('-a -p 100 -l 15')).toEqual({ ...defaults, lengthSeconds: 15, allCores: true })
  })

  test.each(['-l 1', '-l 31449600', '-p 1', '-p 100', '-c 1', '-c 4096'])(
    '%s is at a limit and allowed',
    (line) => {
      expect(() => parse(line)).not.toThrow()
    },
  )

  test('cores given with all-cores switched off do not contradict each other', () => {
    expect(parse('-c 2 --all-cores=false')).toEqual({ ...defaults, cores: 2 })
  })
})

describe('unknown flags', () => {
  test.each([
    ['--lenght', '--length'],
    ['--Length', '--length'],
    ['--core', '--cores'],
    ['--all-core', '--all-cores'],
    ['--all_core', '--all-cores'],
    ['--percentt=5', '--percent'],
  ])('%s is refused with the nearest known flag %s', (flag, near) => {
    const error = refusal([flag, '5'])
    expect(error.details.nearest).toBe(near)
    expect(error.message).toContain(flag.split('=')[0])
    expect(error.message).toContain(`Did you mean ${near}?`)
    expect(error.message).toContain('-l/--length')
  })

  test.each(['-x', '-x5', '-L', '-A', '--nothing-like-it', '--', '---length', '-atrue', '-a5'])(
    '%s is refused with the list of flags',
    (flag) => {
      const error = refusal([flag])
      expect(error.message).toContain(flag)
      expect(error.details.allowed).toBe('-l/--length, -c/--cores, -a/--all-cores, -p/--percent')
    },
  )

  test('a flag of another attack type is not a flag of this one', () => {
    expect(refusal(['--ms', '100']).message).toContain('cpu has no flag --ms')
  })

  test('names that objects have from birth are not flags', () => {
    expect(refusal(['--__proto__=1']).details.flag).toBe('--__proto__')
    expect(refusal(['--constructor', '1']).details.flag).toBe('--constructor')
  })

  test('a very long unknown flag gets no nonsensical suggestion', () => {
    expect(refusal([`--${'x'.repeat(3000)}`]).details.nearest).toBeUndefined()
  })
})

describe('missing values', () => {
  test.each([
    [['-l']],
    [['--length']],
    [['-l', '-p', '50']],
    [['--length', '--percent', '50']],
    [['-p', '50', '-l']],
  ])('%j is refused naming -l/--length and what is allowed', (args) => {
    const error = refusal(args)
    expect(error.details.flag).toBe('-l/--length')
    expect(error.message).toBe('-l/--length needs a value: a whole number from 1 to 31449600 (s).')
  })
})

describe('given twice', () => {
  test.each([
    [['-l', '30', '-l', '40'], '-l/--length', '40'],
    [['-l30', '--length=30'], '-l/--length', '30'],
    [['-p', '1', '-c', '1', '-p', '2'], '-p/--percent', '2'],
  ])('%j is refused naming the flag and the second value', (args, flag, value) => {
    const error = refusal(args)
    expect(error.details).toMatchObject({ flag, value })
    expect(error.message).toContain(flag)
    expect(error.message).toContain(`"${value}"`)
    expect(error.message).toContain('once')
  })

  test('a switch given twice is refused too', () => {
    expect(refusal(['-a', '--all-cores']).details.flag).toBe('-a/--all-cores')
    expect(refusal(['-a', '--all_cores=false']).details.flag).toBe('-a/--all-cores')
  })
})

describe('values that are not allowed', () => {
  const numbers = [
    { flag: '-l', shown: '-l/--length', allowed: 'a whole number from 1 to 31449600 (s)' },
    { flag: '-c', shown: '-c/--cores', allowed: 'a whole number from 1 to 4096 (cores)' },
    { flag: '-p', shown: '-p/--percent', allowed: 'a whole number from 1 to 100 (%)' },
  ]
  const outOfRange: Record<string, string[]> = {
    '-l': ['0', '31449601'],
    '-c': ['0', '4097'],
    '-p': ['0', '101'],
  }
  const never = [
    '-1',
    '-5',
    '1.5',
    '1,5',
    '1,2',
    '0x10',
    '1e1',
    'ten',
    '',
    ' ',
    ' 5',
    '5 ',
    '5s',
    '50%',
    'NaN',
    'Infinity',
    'null',
    'true',
    '99999999999999999999',
    '٣',
  ]
  const cases = numbers.flatMap((row) =>
    [...(outOfRange[row.flag] ?? []), ...never].map((value) => ({ ...row, value })),
  )

  test.each(cases)('$flag "$value" is refused', ({ flag, shown, allowed, value }) => {
    const error = refusal([flag, value])
    expect(error.details).toEqual({ flag: shown, value, allowed })
    expect(error.message).toBe(`${shown} cannot be "${value}". Allowed: ${allowed}.`)
  })

  test.each(['--percent=', '-p='])('%s is an empty value, not the default', (token) => {
    expect(refusal([token]).details).toMatchObject({ flag: '-p/--percent', value: '' })
  })

  test.each(['--percent=50=60', '-p=50=60'])('%s is refused whole', (token) => {
    expect(refusal([token]).details.value).toBe('50=60')
  })

  test.each(['yes', '1', '0', '', 'on'])('--all-cores=%s is refused', (value) => {
    const error = refusal([`--all-cores=${value}`])
    expect(error.details).toMatchObject({ flag: '-a/--all-cores', value })
    expect(error.message).toContain('true or false')
  })
})

describe('words that belong to no flag', () => {
  test.each([
    [['60']],
    [['']],
    [['-']],
    [['-l', '60', '70']],
    [['-a', 'true']],
    [['cpu', '-l', '60']],
    [['-l 60']],
  ])('%j is refused', (args) => {
    const error = refusal(args)
    expect(error.details.allowed).not.toBe('')
    expect(error.message).toMatch(/cpu|Allowed/)
  })
})

describe('contradictions', () => {
  test.each([[['-c', '2', '-a']], [['--all-cores', '--cores=1']], [['-a=true', '-c1']]])(
    '%j is refused naming both flags',
    (args) => {
      const error = refusal(args)
      expect(error.message).toContain('-c/--cores')
      expect(error.message).toContain('-a/--all-cores')
      expect(error.details.allowed).toContain('either')
    },
  )
})

describe('the same definition elsewhere', () => {
  test('arguments written from parameters are read back the same', () => {
    for (const params of [
      defaults,
      { ...defaults, lengthSeconds: 1, percent: 1 },
      { ...defaults, allCores: true, percent: 37 },
      { ...defaults, cores: 4096, lengthSeconds: 31_449_600 },
    ])
      expect(parseArgs(cpu, formatArgs(cpu, params))).toEqual(params)
    expect(formatArgs(cpu, defaults)).toEqual([])
  })

  test('parameters that arrive as an object are checked by the same limits', () => {
    expect(checkParams(cpu, defaults)).toEqual(defaults)
    expect(checkParams(cpu, { ...defaults, unknown: 1 })).toEqual(defaults)
    for (const bad of [
      { ...defaults, percent: 0 },
      { ...defaults, percent: 101 },
      { ...defaults, percent: 1.5 },
      { ...defaults, percent: Number.NaN },
      { ...defaults, percent: '50' },
      { ...defaults, allCores: 'true' },
      { ...defaults, lengthSeconds: Infinity },
      { cores: 1, allCores: false, percent: 100 },
      null,
      undefined,
      'text',
    ])
      expect(() => checkParams(cpu, bad)).toThrow(ArgsError)
  })

  test('every flag of every parameter is unique and described', () => {
    const specs = paramSpecs(cpu)
    expect(specs.map((spec) => flagName(spec.flag))).toEqual([
      '-l/--length',
      '-c/--cores',
      '-a/--all-cores',
      '-p/--percent',
    ])
    for (const spec of specs) {
      expect(spec.schema.description).toBeTruthy()
      expect(allowedValues(spec)).not.toContain('undefined')
    }
  })
})
