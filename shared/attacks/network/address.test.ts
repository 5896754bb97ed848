import { BlockList, isIP } from 'node:net'
import { describe, expect, test } from 'vitest'
import { randomOf, type Random } from '../../../test/fuzz/random.ts'
import { contains, formatBlock, overlaps, parseBlock, type AddressBlock } from './address.ts'

const block = (text: string) => parseBlock(text) as AddressBlock
const normal = (text: string) => {
  const read = parseBlock(text)
  return read && formatBlock(read)
}

describe('addresses and blocks in their normal spelling', () => {
  test.each([
    ['10.0.0.5', '10.0.0.5'],
    ['10.0.0.5/32', '10.0.0.5'],
    ['10.0.0.5/8', '10.0.0.0/8'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['192.168.1.77/31', '192.168.1.76/31'],
    ['::', '::'],
    ['::/0', '::/0'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:DB8::0001', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8::1/32', '2001:db8::/32'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['fe80::1/128', 'fe80::1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['1:0:3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('%s is %s', (text, expected) => {
    expect(normal(text)).toBe(expected)
    expect(normal(expected)).toBe(expected)
  })

  test.each([
    ['::ffff:10.0.0.5', '10.0.0.5'],
    ['::FFFF:a00:5', '10.0.0.5'],
    ['::ffff:10.0.0.5/104', '10.0.0.0/8'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::ffff:0:0/95', '::fffe:0:0/95'],
    ['::fffe:10.0.0.5', '::fffe:a00:5'],
  ])('%s, as sockets of both families show a v4 address, is %s', (text, expected) => {
    expect(normal(text)).toBe(expected)
  })
})

describe('what is no address', () => {
  test.each([
    '',
    '/',
    '/8',
    '10',
    '10.0.0',
    '10.0.0.',
    '.10.0.0',
    '10.0.0.0.1',
    '10.0.0.256',
    '10.0.0.-1',
    '10.0.0.+1',
    '10.0.0.1e0',
    '010.0.0.1',
    '10.0.0.00',
    '0x0a.0.0.1',
    '0x0a000001',
    '167772161',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '10.0.0.1\n',
    '10.0.0.1\0',
    '10.0.0.1;',
    '١٠.0.0.1',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0-10.0.0.9',
    ':',
    ':::',
    '1:::2',
    '::1::',
    '1::2::3',
    ':1',
    '1:',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:8::',
    '::12345',
    '::g',
    'g::1',
    '$(reboot)::1',
    '1 ::2',
    '::1/129',
    '::1/x',
    '1.2.3.4::',
    '1.2.3.4::1',
    '::1.2.3.4:5',
    '::1.2.3',
    '::1.2.3.256',
    '1:2:3:4:5:6:7:1.2.3.4',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
    '[::1]',
    '[::1]:80',
    '10.0.0.1:80',
    'db.example.com',
  ])('%j', (text) => {
    expect(parseBlock(text)).toBeUndefined()
  })

  test('a very long text is refused at once', () => {
    for (const piece of ['1', ':', '::', '1.', '1:', '/', '0'])
      expect(parseBlock(piece.repeat(100_000))).toBeUndefined()
  })
})

/** Texts that are addresses, nearly addresses, and made of what addresses are made of. */
function addressLike(random: Random): string {
  const byte = () => random.pick([0, 1, 9, 10, 99, 127, 199, 255, 256, 300, random.int(0, 255)])
  const v4 = () => Array.from({ length: random.pick([4, 4, 4, 4, 3, 5]) }, byte).join('.')
  const group = () =>
    random.pick(['0', '0', '1', 'ffff', 'FFFF', '00ab', 'DB8', '10000', 'g', '', String(byte())])
  const v6 = () => {
    const groups = Array.from({ length: random.int(1, 9) }, group)
    if (random.chance(0.3)) groups.push(v4())
    if (random.chance(0.6)) groups.splice(random.int(0, groups.length), 0, '')
    return random.pick(['', '', '', ':']) + groups.join(':') + random.pick(['', '', '', ':'])
  }
  const junk = () =>
    Array.from({ length: random.int(0, 20) }, () =>
      random.pick('0123456789abcdefF:.:.x-'.split('')),
    ).join('')
  const text = random.pick([v4, v6, v6, v6, junk])()
  if (random.chance(0.8)) return text
  const at = random.int(0, text.length)
  return text.slice(0, at) + random.pick(':.0f g\n'.split('')) + text.slice(at + random.int(0, 1))
}

/** What Node says of a text. */
function byNode(text: string): string | undefined {
  if (isIP(text) === 0) return undefined
  if (isIP(text) === 4) return text
  const spelt = new URL(`http://[${text}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(spelt) ?? []
  if (high === undefined || low === undefined) return spelt
  // The one difference: v4 in the clothes of v6 is v4.
  const bytes = [high, low]
    .map((half) => Number.parseInt(half, 16))
    .flatMap((n) => [n >> 8, n & 255])
  return bytes.join('.')
}

describe('generated texts', () => {
  const texts = Array.from({ length: 100_000 }, (_, at) => addressLike(randomOf(4, at)))

  test('are addresses exactly where Node says so, in the spelling that browsers give them', () => {
    const seen = { 0: 0, 4: 0, 6: 0 }
    const faults: string[] = []
    for (const text of texts) {
      const expected = byNode(text)
      seen[isIP(text) as keyof typeof seen] += 1
      if (normal(text) !== expected) faults.push(`${text}: ${normal(text)}, not ${expected}`)
      if (expected !== undefined && normal(expected) !== expected) faults.push(expected)
    }
    expect(faults).toEqual([])
    // The generator makes enough of each.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(3_000)
  })
})

describe('blocks within blocks', () => {
  test.each([
    ['10.0.0.0/8', '10.1.2.3', true, true],
    ['10.1.2.3', '10.0.0.0/8', false, true],
    ['10.0.0.0/8', '11.0.0.0', false, false],
    ['10.0.0.0/8', '10.0.0.0/8', true, true],
    ['0.0.0.0/0', '255.255.255.255', true, true],
    ['::/0', '10.0.0.1', false, false],
    ['0.0.0.0/0', '::1', false, false],
    ['2001:db8::/32', '2001:db8:ffff::/48', true, true],
    ['2001:db8::/32', '2001:db9::', false, false],
  ])('%s contains %s: %s, overlaps: %s', (outer, inner, isIn, isShared) => {
    expect(contains(block(outer), block(inner))).toBe(isIn)
    expect(overlaps(block(outer), block(inner))).toBe(isShared)
    expect(overlaps(block(inner), block(outer))).toBe(isShared)
  })

  test('agree with Node on generated blocks', () => {
    let inside = 0
    for (let at = 0; at < 4_000; at += 1) {
      const random = randomOf(5, at)
      const family = random.pick([4, 6] as const)
      const width = family === 4 ? 32 : 128
      const bits = random.pick([
        0n,
        1n,
        (1n << BigInt(width)) - 1n,
        BigInt(random.int(0, 2 ** 32 - 1)),
      ])
      const prefixLength = random.int(0, width)
      const base = { family, bits, prefixLength: width }
      const subnet = block(`${formatBlock(base)}/${prefixLength}`)
      const flipped = bits ^ (1n << BigInt(random.int(0, width - 1)))
      const other = formatBlock({ ...base, bits: flipped })
      const list = new BlockList()
      list.addSubnet(formatBlock(base), prefixLength, `ipv${family}`)
      const expected = list.check(other, `ipv${family}`)
      expect({ subnet, other, isIn: contains(subnet, block(other)) }).toEqual({
        subnet,
        other,
        isIn: expected,
      })
      inside += Number(expected)
    }
    expect(inside).toBeGreaterThan(500)
    expect(inside).toBeLessThan(3_500)
  })
})
