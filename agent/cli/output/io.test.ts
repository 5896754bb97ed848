import { expect, test } from 'vitest'
import { harmless } from './io.ts'

test.each([
  ['clears the screen', '\u001B[2Jann@example.com', '\u{FFFD}[2Jann@example.com'],
  ['sets the title', '\u001B]0;root\u0007x', '\u{FFFD}]0;root\u{FFFD}x'],
  ['writes over the line', 'revoked\rACTIVE', 'revoked\u{FFFD}ACTIVE'],
  ['is a control character of eight bits', '\u009B2J', '\u{FFFD}2J'],
])('no terminal obeys a name that %s', (_what, text, shown) => {
  expect(harmless(text)).toBe(shown)
})

test('lines, tabs, colours and letters of any script stay', () => {
  const text = 'a\tb\n\u001B[1;31mrød\u001B[39m Ελένη 名 👩‍🚒'
  expect(harmless(text)).toBe(text)
})
