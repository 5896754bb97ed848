import { expect, test } from 'vitest'
import { endOf, lifetimes } from './key-lifetimes.ts'

const labels = (limit?: number) => lifetimes(limit).map(({ label }) => label)

test('without a limit a key may live for ever', () => {
  expect(labels()).toEqual(['In 7 days', 'In 30 days', 'In 90 days', 'In 365 days', 'Never'])
})

test('with a limit no choice is beyond it', () => {
  const limit = 30 * 86_400
  expect(labels(limit)).toEqual(['In 7 days', 'As late as your company allows'])
  for (const limitSeconds of [60, 61, 3_600, limit])
    for (const { value } of lifetimes(limitSeconds)) {
      expect(Number(value)).toBeLessThan(limitSeconds)
      expect(Number(value)).toBeGreaterThan(0)
    }
})

test('a choice is a moment', () => {
  expect(endOf('never', 0)).toBeUndefined()
  expect(endOf('86400', 0)).toBe('1970-01-02T00:00:00.000Z')
})
