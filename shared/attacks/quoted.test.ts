import { expect, test } from 'vitest'
import { printable, quoted, shortened } from './quoted.ts'

test('up to 100 characters are repeated as they are, the rest is counted', () => {
  expect(shortened('a'.repeat(100))).toBe('a'.repeat(100))
  expect(shortened('a'.repeat(101))).toBe(`${'a'.repeat(100)}… (101 characters)`)
  expect(shortened('x'.repeat(10_000)).length).toBeLessThan(130)
})

test('a character is not cut in two', () => {
  const text = `${'a'.repeat(99)}🐌🐌`
  expect(shortened(text)).toBe(`${'a'.repeat(99)}… (103 characters)`)
  expect(shortened(text).isWellFormed()).toBe(true)
})

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['é ٣ 🐌', 'é ٣ 🐌'],
  ['say "hi"', String.raw`say \"hi\"`],
  ['a\\b', String.raw`a\\b`],
  ['a\nb\0', String.raw`a\nb\u0000`],
  ['\u001B[2J', String.raw`\u001b[2J`],
  ['\u009B2J', String.raw`\u{9b}2J`],
  ['\u202Egnp.exe', String.raw`\u{202e}gnp.exe`],
  ['\u2028', String.raw`\u{2028}`],
  ['\uD800', String.raw`\ud800`],
])('%j cannot act on a terminal', (text, shown) => {
  expect(printable(text)).toBe(shown)
  expect(quoted(text)).toBe(`"${shown}"`)
})
