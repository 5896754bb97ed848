import { describe, expect, test } from 'vitest'
import { formatJoinLine, parseJoinLine } from './join-line.ts'

const join = {
  address: '127.0.0.1:8081',
  teamId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  secret: 's3cret+/=&?#',
  caSha256: 'ab'.repeat(32),
}
const line = formatJoinLine(join)

describe('the line that adds a host', () => {
  test('is read back as it was written, whatever the secret holds', () => {
    expect(parseJoinLine(line)).toEqual(join)
  })

  test('is one word that can be pasted into a shell without surprises', () => {
    expect(line).toMatch(/^temblor:\/\/127\.0\.0\.1:8081\/\S+$/)
    expect(line).not.toMatch(/["'`$\\ ]/)
  })

  test('may have white space around it', () => {
    expect(parseJoinLine(`  ${line}\n`)).toEqual(join)
  })

  test('may name a host or an IPv6 address', () => {
    for (const address of ['temblor.example.com:443', '[::1]:8081', '[2001:db8::1]:9000'])
      expect(parseJoinLine(formatJoinLine({ ...join, address })).address).toBe(address)
  })

  test('takes a fingerprint in capitals', () => {
    expect(parseJoinLine(line.replace(/ca=\w+/, `ca=${'AB'.repeat(32)}`)).caSha256).toBe(
      join.caSha256,
    )
  })
})

describe('a line that is not whole', () => {
  test.each([
    ['', 'temblor://'],
    ['nonsense', 'temblor://'],
    [line.replace('temblor:', 'https:'), 'temblor://'],
    [line.replace(':8081', ''), 'host:port'],
    [line.replace(join.teamId, 'team'), 'team id'],
    [line.replace(join.teamId, ''), 'team id'],
    [line.replace(/secret=[^&]*&/, ''), 'secret'],
    [line.replace(/secret=[^&]*&/, 'secret=&'), 'secret'],
    [line.replace(/&ca=\w+/, ''), 'SHA-256'],
    [line.replace(/&ca=\w+/, '&ca=abc'), 'SHA-256'],
    [line.slice(0, -1), 'SHA-256'],
  ])('%s is refused naming what is missing: %s', (text, missing) => {
    expect(() => parseJoinLine(text)).toThrow(missing)
  })

  test('is refused without repeating the secret', () => {
    for (const broken of [
      line.slice(0, -1),
      line.replace(':8081', ''),
      line.replace('temblor', 'x'),
    ])
      expect(() => parseJoinLine(broken)).toThrow(/^(?!.*s3cret)/)
  })
})
