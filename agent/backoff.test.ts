import { expect, it } from 'vitest'
import { moveDelayMs, reconnectDelayMs } from './backoff.ts'

const most = (attempt: number, isRunning: boolean) =>
  reconnectDelayMs(attempt, isRunning, undefined, () => 1)

it('waits longer and longer, at most ten seconds, with full jitter', () => {
  expect([0, 1, 2, 10, 1000].map((attempt) => most(attempt, false))).toEqual([
    500, 1000, 2000, 10_000, 10_000,
  ])
  expect(reconnectDelayMs(5, false, undefined, () => 0)).toBe(0)
})

it('connects at once while attacks run', () => {
  expect([0, 1, 10].map((attempt) => most(attempt, true))).toEqual([0, 1000, 2000])
})

it('leaves a controller that stops within its window, and at once while attacks run', () => {
  const window = { reconnectMinMs: 1000, reconnectMaxMs: 5000 }
  expect([0, 0.5, 1].map((at) => moveDelayMs(window, false, () => at))).toEqual([1000, 3000, 5000])
  expect(moveDelayMs(window, true, () => 1)).toBe(0)
})

it('comes back when it was told to, or somewhat later, unless attacks run', () => {
  expect([0, 1].map((at) => reconnectDelayMs(0, false, 3000, () => at))).toEqual([3000, 6000])
  expect(reconnectDelayMs(0, true, 3000, () => 1)).toBe(0)
})
