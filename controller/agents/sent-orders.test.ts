import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SentOrders } from './sent-orders.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('has an order sent again when it was not acknowledged for long', () => {
  const sent = new SentOrders()
  expect(sent.add('e', 1)).toBe(true)
  expect(sent.add('e', 1)).toBe(false)
  vi.advanceTimersByTime(10_000)
  expect(sent.add('e', 1)).toBe(true)
})

it('has a newer order sent at once, whatever became of the older', () => {
  const sent = new SentOrders()
  sent.add('e', 1)
  sent.acknowledged('e', 1)
  expect(sent.add('e', 2)).toBe(true)
  sent.settled('e', 1)
  expect(sent.add('e', 2)).toBe(false)
})

it('has nothing sent again while its acknowledgement waits to be written, and what stayed in the outbox after that', () => {
  const sent = new SentOrders()
  sent.add('e', 1)
  sent.acknowledged('e', 1)
  vi.advanceTimersByTime(60_000)
  expect(sent.add('e', 1)).toBe(false)
  sent.settled('e', 1)
  expect(sent.add('e', 1)).toBe(true)
})
