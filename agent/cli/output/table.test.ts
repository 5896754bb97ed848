import { expect, test } from 'vitest'
import { formatTable } from './table.ts'

test('aligns words to the left and figures to the right', () => {
  expect(
    formatTable([
      ['HOST', 'ASKED'],
      ['web-1', '9.5 %'],
      ['b', '100.0 %'],
    ]),
  ).toEqual(['HOST     ASKED', 'web-1    9.5 %', 'b      100.0 %'])
})

test('colours do not count as width', () => {
  expect(
    formatTable([
      ['A', 'B'],
      ['\u001B[31mred\u001B[39m', 'x'],
    ])[0],
  ).toBe('A    B')
})
