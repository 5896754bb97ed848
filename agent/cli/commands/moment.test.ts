import { expect, test } from 'vitest'
import { readComing, readMoment } from './moment.ts'

const now = Date.parse('2026-11-20T12:00:00.000Z')

test.each([
  ['90s', '2026-11-20T11:58:30.000Z'],
  ['30m', '2026-11-20T11:30:00.000Z'],
  ['1h', '2026-11-20T11:00:00.000Z'],
  ['2d', '2026-11-18T12:00:00.000Z'],
  ['2026-11-19T08:00:00Z', '2026-11-19T08:00:00.000Z'],
  ['2026-11-19', '2026-11-19T00:00:00.000Z'],
])('%s is %s', (text, time) => {
  expect(readMoment('--since', text, now)).toBe(time)
})

test.each(['', 'h', '1', '1w', '-1h', 'yesterday', '2026-13-40'])('%j is refused', (text) => {
  expect(() => readMoment('--since', text, now)).toThrow('--since cannot be')
})

test('a span that is to come is counted from now on', () => {
  expect(readComing('--expires', '2d', now)).toBe('2026-11-22T12:00:00.000Z')
  expect(readComing('--expires', '2027-01-01T00:00:00Z', now)).toBe('2027-01-01T00:00:00.000Z')
  expect(() => readComing('--expires', 'soon', now)).toThrow(/--expires/)
})
