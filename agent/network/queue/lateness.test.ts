import { describe, expect, it } from 'vitest'
import { Lateness } from './lateness.ts'

describe('held times', () => {
  it('are percentiles of packets, sharp at any delay', () => {
    const lateness = new Lateness(60_000)
    expect(lateness.heldTimes()).toBeUndefined()
    lateness.add(60_000.1, 980)
    lateness.add(60_002, 10)
    lateness.add(60_050, 10)
    const { p50 = 0, p99 = 0, mean = 0 } = lateness.heldTimes() ?? {}
    expect(p50).toBeCloseTo(60_000.1, 2)
    expect(Math.abs(p99 - 60_002)).toBeLessThan(0.05)
    expect(mean).toBeCloseTo(60_000.618, 3)
  })

  it('begin anew after a reset', () => {
    const lateness = new Lateness(10)
    lateness.add(500, 3)
    lateness.reset()
    lateness.add(9.9, 1)
    expect(lateness.heldTimes()).toEqual({ p50: 10.001, p99: 10.001, mean: 9.9 })
  })
})
