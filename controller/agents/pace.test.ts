import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { figuresPace } from './pace.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('wants figures each second, and less often of more executions than it can hear', () => {
  let running = 0
  const pace = figuresPace(() => running)
  const at = (count: number) => {
    running = count
    vi.advanceTimersByTime(1_000)
    return pace()
  }
  expect([0, 1, 2_000, 2_001, 10_000, 1].map(at)).toEqual([
    1_000, 1_000, 1_000, 2_000, 5_000, 1_000,
  ])
})

it('does not count for each message', () => {
  let counted = 0
  const pace = figuresPace(() => (counted += 1))
  for (let i = 0; i < 100; i += 1) pace()
  expect(counted).toBe(1)
})
