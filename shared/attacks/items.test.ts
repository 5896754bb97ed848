import { describe, expect, test } from 'vitest'
import { randomOf } from '../../test/fuzz/random.ts'
import { grammars } from './items.ts'
import type { ItemKind } from './params.ts'

const kinds = Object.keys(grammars) as ItemKind[]
const label63 = 'a'.repeat(63)
const name253 = `${`${label63}.`.repeat(3)}${'b'.repeat(61)}`

describe('items in their normal spelling', () => {
  test.each<[ItemKind, string, string]>([
    ['address', '2001:DB8::0001', '2001:db8::1'],
    ['address', '10.0.0.5/8', '10.0.0.0/8'],
    ['hostname', 'db.example.com', 'db.example.com'],
    ['hostname', 'DB.Example.COM.', 'db.example.com'],
    ['hostname', 'localhost', 'localhost'],
    ['hostname', '_ldap._tcp.dc-1.example', '_ldap._tcp.dc-1.example'],
    ['hostname', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['hostname', '1.2.3.4.in-addr.arpa', '1.2.3.4.in-addr.arpa'],
    ['hostname', '3com.com', '3com.com'],
    ['hostname', '0x10.example', '0x10.example'],
    ['hostname', `${label63}.x`, `${label63}.x`],
    ['hostname', name253, name253],
    ['hostname', `${name253}.`, name253],
    ['port', '0', '0'],
    ['port', '443', '443'],
    ['port', '008', '8'],
    ['port', '00000', '0'],
    ['port', '65535', '65535'],
    ['port', '8080-8085', '8080-8085'],
    ['port', '0-65535', '0-65535'],
    ['port', '80-80', '80'],
    ['port', '080-80', '80'],
    ['port', '0080-081', '80-81'],
    ['protocol', 'TCP', 'TCP'],
    ['protocol', 'udp', 'UDP'],
    ['protocol', 'iCmP', 'ICMP'],
    ['device', 'eth0', 'eth0'],
    ['device', 'eth0.100', 'eth0.100'],
    ['device', 'br-0123456789ab', 'br-0123456789ab'],
    ['device', 'Wlan_0', 'Wlan_0'],
    ['device', '...', '...'],
  ])('%s %s is %s', (kind, text, normal) => {
    expect(grammars[kind].read(text)).toBe(normal)
    expect(grammars[kind].read(normal)).toBe(normal)
  })
})

/** Text that would mean something to a shell, nft, tc, a terminal or a C program. */
const hostile = [
  '',
  ' ',
  ' 80',
  '80 ',
  '^',
  '^^80',
  '!80',
  '-',
  '--',
  '-d',
  '*',
  '80,443',
  '$(reboot)',
  '`reboot`',
  '${IFS}',
  'a;reboot',
  'eth0; drop',
  'eth0 drop',
  '{',
  '{ 80 }',
  '80 } accept',
  '@set',
  '"eth0"',
  "'eth0'",
  'a|b',
  'a&b',
  'a>b',
  'a\\b',
  'a/b',
  'a#b',
  'a\nb',
  'eth0\n',
  'a\rb',
  'a\tb',
  'a\0b',
  'a\u001B[2J',
  'a\u200Bb',
  'é',
  'ıcmp',
  '\u212A8s.example',
  '８０',
  '\uD800',
  '\uFFFE',
  '__proto__ ',
]

describe('what is no item', () => {
  test.each(kinds)('of kind %s: nothing with syntax of other programs in it', (kind) => {
    const passed = hostile.filter((text) => grammars[kind].read(text) !== undefined)
    expect(passed).toEqual([])
  })

  test.each<[ItemKind, string]>([
    ['hostname', '10.0.0.1'],
    ['hostname', '10.0.0.1.'],
    ['hostname', '10.0.0.256'],
    ['hostname', '10.1'],
    ['hostname', '167772161'],
    ['hostname', '0x0a000001'],
    ['hostname', '10.0.0.0X1'],
    ['hostname', '127.0x'],
    ['hostname', '2001:db8::1'],
    ['hostname', '[::1]'],
    ['hostname', 'db.example.com:5432'],
    ['hostname', 'https://db.example.com'],
    ['hostname', '*.example.com'],
    ['hostname', '.example.com'],
    ['hostname', 'db..example'],
    ['hostname', 'example..'],
    ['hostname', '.'],
    ['hostname', '-db.example'],
    ['hostname', 'db-.example'],
    ['hostname', 'bücher.example'],
    ['hostname', `${label63}a.x`],
    ['hostname', `${name253}a`],
    ['port', '65536'],
    ['port', '99999'],
    ['port', '100000'],
    ['port', '000080'],
    ['port', '-1'],
    ['port', '+80'],
    ['port', '80-'],
    ['port', '-80'],
    ['port', '80-79'],
    ['port', '80-65536'],
    ['port', '80-90-100'],
    ['port', '80:90'],
    ['port', '80 - 90'],
    ['port', '0x50'],
    ['port', '8e1'],
    ['port', '80.0'],
    ['port', 'http'],
    ['protocol', 'SCTP'],
    ['protocol', 'ICMPv6'],
    ['protocol', 'tcp6'],
    ['protocol', '6'],
    ['protocol', 'all'],
    ['protocol', 'constructor'],
    ['device', '.'],
    ['device', '..'],
    ['device', '-eth0'],
    ['device', 'eth0:1'],
    ['device', 'eth0@if5'],
    ['device', 'eth+'],
    ['device', 'eth*'],
    ['device', 'abcdefghijklmnop'],
    ['address', 'db.example.com'],
    ['address', 'fe80::1%eth0'],
  ])('%s %s', (kind, text) => {
    expect(grammars[kind].read(text)).toBeUndefined()
  })

  test('10,000 characters are none of any kind', () => {
    for (const kind of kinds)
      for (const piece of ['a', '1', '0', '.', ':', '-', 'a.', '1-', 'a-'])
        expect(grammars[kind].read(piece.repeat(10_000))).toBeUndefined()
  })
})

test('whatever is accepted is safe as an argument, and accepted again as it is', () => {
  const pieces = [
    ...'aZ09.-_:@/^'.split(''),
    'eth',
    '255',
    '80',
    'tcp',
    'UDP',
    '::',
    'example',
    ' ',
    ';',
    '\n',
    '$',
  ]
  const accepted = Object.fromEntries(kinds.map((kind) => [kind, 0]))
  for (let at = 0; at < 50_000; at += 1) {
    const random = randomOf(6, at)
    const text = Array.from({ length: random.int(1, 4) }, () => random.pick(pieces)).join('')
    for (const kind of kinds) {
      const normal = grammars[kind].read(text)
      if (normal === undefined) continue
      accepted[kind] = (accepted[kind] ?? 0) + 1
      expect(normal).toMatch(/^[A-Za-z0-9._:][A-Za-z0-9._:/-]*$/)
      expect(grammars[kind].read(normal)).toBe(normal)
    }
  }
  for (const kind of kinds) expect(accepted[kind]).toBeGreaterThan(50)
})

test('each kind says in words what it is', () => {
  for (const kind of kinds) {
    expect(grammars[kind].unit).toMatch(/^[a-z]+$/)
    expect(grammars[kind].words.length).toBeGreaterThan(10)
  }
  expect(grammars.hostname.words).toContain('-i/--ipaddress')
})
