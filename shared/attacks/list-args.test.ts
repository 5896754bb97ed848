import { describe, expect, test } from 'vitest'
import { ArgsError, checkParams, maximumItems, parseArgs } from './args.ts'
import { blackhole } from './blackhole.ts'
import type { AttackType } from './define.ts'
import { latency } from './latency.ts'

const type = latency as unknown as AttackType
const defaults = {
  lengthSeconds: 60,
  delayMs: 100,
  addresses: [],
  devices: [],
  hostnames: ['^api.gremlin.com'],
  remotePorts: ['^53'],
  localPorts: [],
  protocols: [],
  noDerivedExclusions: false,
}

const parse = (line: string) => parseArgs(type, line.split(' ').filter(Boolean))

function refusal(args: readonly string[], of: AttackType = type): ArgsError {
  try {
    parseArgs(of, args)
  } catch (error) {
    if (error instanceof ArgsError) return error
    throw error
  }
  throw new Error(`accepted: ${args.join(' ')}`)
}

describe('lists are accepted in every spelling', () => {
  test.each<[string, Partial<typeof defaults> | Record<string, unknown>]>([
    ['', {}],
    ['-i 10.0.0.1', { addresses: ['10.0.0.1'] }],
    ['-i10.0.0.1', { addresses: ['10.0.0.1'] }],
    ['-i=10.0.0.1', { addresses: ['10.0.0.1'] }],
    ['--ipaddress 10.0.0.1', { addresses: ['10.0.0.1'] }],
    ['--ipaddress=10.0.0.1', { addresses: ['10.0.0.1'] }],
    ['-i 10.0.0.1 -i ::1', { addresses: ['10.0.0.1', '::1'] }],
    ['-i 10.0.0.1,::1', { addresses: ['10.0.0.1', '::1'] }],
    ['-i10.0.0.1,::1 --ipaddress=^10.0.0.0/8', { addresses: ['10.0.0.1', '::1', '^10.0.0.0/8'] }],
    ['-i ^10.0.0.1', { addresses: ['^10.0.0.1'] }],
    ['-i^::1', { addresses: ['^::1'] }],
    ['-i 2001:DB8::0001,10.0.0.5/8', { addresses: ['2001:db8::1', '10.0.0.0/8'] }],
    ['-p 8080-8085', { remotePorts: ['8080-8085'] }],
    ['-p ^8080-8085,443', { remotePorts: ['^8080-8085', '443'] }],
    ['-p ^53', { remotePorts: ['^53'] }],
    ['-p 008', { remotePorts: ['8'] }],
    ['--egress-port 80', { remotePorts: ['80'] }],
    ['--egress_port 80', { remotePorts: ['80'] }],
    ['--egress_port=80 -p443', { remotePorts: ['80', '443'] }],
    ['-s 8080 --src_port 9090', { localPorts: ['8080', '9090'] }],
    ['-P tcp,Udp', { protocols: ['TCP', 'UDP'] }],
    ['-P ^icmp', { protocols: ['^ICMP'] }],
    ['-d eth0 -d eth1,^lo', { devices: ['eth0', 'eth1', '^lo'] }],
    ['-h DB.Example.com.', { hostnames: ['db.example.com'] }],
    ['-h ^API.gremlin.com', { hostnames: ['^api.gremlin.com'] }],
    [
      '-h ^api.gremlin.com,^ingest.lightstep.com',
      { hostnames: ['^api.gremlin.com', '^ingest.lightstep.com'] },
    ],
    ['-E', { noDerivedExclusions: true }],
    ['--no_derived_exclusion_rules', { noDerivedExclusions: true }],
    ['-l 5 -m 20', { lengthSeconds: 5, delayMs: 20 }],
  ])('%s', (line, expected) => {
    expect(parse(line)).toEqual({ ...defaults, ...expected })
  })

  test('an item is there once, in the order in which it came first', () => {
    expect(parse('-p 443,80,0443 -p 80-80 -p ^80')).toMatchObject({
      remotePorts: ['443', '80', '^80'],
    })
    expect(parse('-P udp,TCP,UDP')).toMatchObject({ protocols: ['UDP', 'TCP'] })
  })

  test('what is given takes the place of the default, flag by flag', () => {
    expect(parse('-p 443')).toEqual({ ...defaults, remotePorts: ['443'] })
    expect(parse('-h db')).toEqual({ ...defaults, hostnames: ['db'] })
    expect(parse('-h db,^api.gremlin.com')).toMatchObject({
      hostnames: ['db', '^api.gremlin.com'],
    })
  })
})

describe('items that are refused', () => {
  const kinds = [
    { flag: '-i', shown: '-i/--ipaddress', good: '10.0.0.1', words: 'CIDR block' },
    { flag: '-d', shown: '-d/--device', good: 'eth0', words: 'at most 15' },
    { flag: '-h', shown: '-h/--hostname', good: 'db', words: '-i/--ipaddress' },
    { flag: '-p', shown: '-p/--egress-port', good: '443', words: '0 to 65535' },
    { flag: '-s', shown: '-s/--src-port', good: '443', words: '0 to 65535' },
    { flag: '-P', shown: '-P/--ipprotocol', good: 'TCP', words: 'TCP, UDP or ICMP' },
  ]
  const bad = [
    '',
    '^',
    '^^a',
    ' ',
    '$(reboot)',
    'a;b',
    '{',
    '"a"',
    'a\nb',
    'a\0',
    'ä',
    '-',
    '-1',
    '10.0.0.256/8',
  ]
  const cases = kinds.flatMap((kind) => bad.map((value) => [kind.flag, value, kind] as const))

  test.each(cases)('%s %j is named with the flag and what is allowed', (flag, value, kind) => {
    const { shown, words } = kind
    const error = refusal([flag, value])
    expect(error.details).toEqual({
      flag: shown,
      value,
      allowed: expect.stringContaining(words) as string,
    })
    expect(error.message).toBe(
      `${shown} cannot be ${JSON.stringify(value)}. Allowed: ${error.details.allowed}.`,
    )
    expect(error.details.allowed).toContain('separated by commas')
  })

  test.each(kinds)('one bad item of $flag is enough, and it is the one that is named', (kind) => {
    const { flag, shown, good } = kind
    for (const args of [
      [flag, `${good},`],
      [flag, `,${good}`],
      [flag, `${good},,^${good}`],
      [flag, good, flag, ''],
      [`${flag}=`],
    ])
      expect(refusal(args).details).toMatchObject({ flag: shown, value: '' })
    expect(refusal([flag, `${good},a b,${good}`]).details.value).toBe('a b')
    expect(refusal([flag, `${good}, ${good}`]).details.value).toBe(` ${good}`)
  })

  test.each(kinds)('10,000 characters for $flag are cut in message and details', (kind) => {
    const error = refusal([kind.flag, 'x'.repeat(10_000)])
    expect(error.details).toMatchObject({ flag: kind.shown })
    expect(error.details.value).toBe(`${'x'.repeat(100)}… (10000 characters)`)
    expect(error.message.length).toBeLessThan(500)
  })

  test('unknown flags and stray words of that length are cut too', () => {
    const long = 'x'.repeat(10_000)
    for (const token of [`--${long}`, `-x${long}`, long]) {
      const error = refusal([token])
      expect(error.message.length).toBeLessThan(500)
      expect(JSON.stringify(error.details).length).toBeLessThan(500)
    }
    expect(refusal(['--ms', '1', '--ms', long]).message.length).toBeLessThan(500)
    expect(refusal(['--ms', long]).message.length).toBeLessThan(500)
  })

  test('an address as hostname is pointed to -i', () => {
    for (const address of ['10.0.0.1', '^10.0.0.1', '2001:db8::1'])
      expect(refusal(['-h', address]).message).toContain('addresses are given with -i/--ipaddress')
  })

  test('a flag in the place of the value is a missing value', () => {
    for (const args of [['-i'], ['-i', '-p', '80'], ['-p', '80', '--ipaddress']])
      expect(refusal(args).message).toMatch(/^-i\/--ipaddress needs a value: an IPv4 or IPv6/)
  })

  test('a list may repeat, a number may not', () => {
    expect(refusal(['-m', '1', '-m', '1']).message).toContain('more than once')
    expect(refusal(['-E', '-E']).details.flag).toBe('-E/--no-derived-exclusion-rules')
  })
})

const addresses = (count: number) =>
  Array.from({ length: count }, (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`)

describe('how many items there may be', () => {
  test(`${maximumItems} are, given at once or one by one`, () => {
    const items = addresses(maximumItems)
    expect(parseArgs(type, ['-i', items.join(',')])).toMatchObject({ addresses: items })
    expect(
      parseArgs(
        type,
        items.map((one) => `-i${one}`),
      ),
    ).toMatchObject({ addresses: items })
    expect(checkParams(type, { ...defaults, addresses: items })).toMatchObject({ addresses: items })
  })

  test('one more is not', () => {
    const items = addresses(maximumItems + 1)
    const expected = {
      message: '-i/--ipaddress takes at most 4096 items, not 4097.',
      details: { flag: '-i/--ipaddress', allowed: 'at most 4096 items' },
    }
    expect(refusal(['-i', items.join(',')])).toMatchObject(expected)
    expect(refusal(items.map((one) => `-i${one}`))).toMatchObject(expected)
    expect(() => checkParams(type, { ...defaults, addresses: items })).toThrow(expected.message)
  })

  test('a body full of items is refused in no time', () => {
    const [many] = [Array.from({ length: 1_000 }, () => `-i${'::,'.repeat(80)}::`)]
    const since = performance.now()
    expect(refusal(many).message).toContain('at most 4096 items')
    expect(performance.now() - since).toBeLessThan(1_000)
  })
})

describe('parameters as an object', () => {
  test('are checked by the same grammar and take their normal spelling', () => {
    expect(checkParams(type, defaults)).toEqual(defaults)
    expect(
      checkParams(type, {
        ...defaults,
        addresses: ['10.0.0.5/8', '10.0.0.0/8'],
        protocols: ['tcp'],
      }),
    ).toEqual({ ...defaults, addresses: ['10.0.0.0/8'], protocols: ['TCP'] })
  })

  test.each<[string, unknown]>([
    ['addresses', ['$(reboot)']],
    ['addresses', ['']],
    ['addresses', ['10.0.0.1,10.0.0.2']],
    ['addresses', '10.0.0.1'],
    ['addresses', [1]],
    ['addresses', [null]],
    ['addresses', [['10.0.0.1']]],
    ['addresses', { 0: '10.0.0.1' }],
    ['addresses', null],
    ['addresses', undefined],
    ['devices', ['eth0; drop']],
    ['hostnames', ['10.0.0.1']],
    ['remotePorts', [443]],
    ['remotePorts', ['65536']],
    ['protocols', ['SCTP']],
    ['noDerivedExclusions', 'true'],
    ['delayMs', '100'],
    ['delayMs', 60_001],
  ])('%s: %j is refused', (name, value) => {
    expect(() => checkParams(type, { ...defaults, [name]: value })).toThrow(ArgsError)
  })

  test('a list is not empty where no flags could have made it so', () => {
    expect(() => checkParams(type, { ...defaults, remotePorts: [] })).toThrow(ArgsError)
    expect(() => checkParams(type, { ...defaults, hostnames: [] })).toThrow(ArgsError)
    expect(checkParams(type, { ...defaults, remotePorts: ['^0'] })).toMatchObject({
      remotePorts: ['^0'],
    })
  })
})

test('the flag for local ports has another name in each network attack', () => {
  const cut = blackhole as unknown as AttackType
  expect(parseArgs(cut, ['-n', '8080', '--ingress_port=9090'])).toMatchObject({
    localPorts: ['8080', '9090'],
  })
  expect(refusal(['-s', '8080'], cut).message).toContain('blackhole has no flag -s')
  expect(refusal(['--src-port', '8080'], cut).message).toContain('blackhole has no flag --src-port')
  expect(refusal(['-n', '8080']).message).toContain('latency has no flag -n')
  expect(refusal(['-m', '8080'], cut).message).toContain('blackhole has no flag -m')
})
