import { expect, it } from 'vitest'
import { reconnectDelayMs } from './backoff.ts'

const most = (attempt: number, isRunning: boolean) => reconnectDelayMs(attempt, isRunning, () => 1)

it('waits longer and longer, at most ten seconds, with full jitter', () => {
  expect([0, 1, 2, 10, 1000].map((attempt) => most(attempt, false))).toEqual([
    500, 1000, 2000, 10_000, 10_000,
  ])
  expect(reconnectDelayMs(5, false, () => 0)).toBe(0)
})

it('connects at once while attacks run', () => {
  expect([0, 1, 10].map((attempt) => most(attempt, true))).toEqual([0, 1000, 2000])
})
