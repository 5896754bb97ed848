import { describe, expect, it } from 'vitest'
import { DelayTimes, quantile } from './delay-times.ts'

describe('a quantile', () => {
  it('is the value below which that share lies', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)
    expect(quantile(hundred, 0.5)).toBe(51)
    expect(quantile(hundred, 0.99)).toBe(100)
    expect(quantile([7], 0.99)).toBe(7)
    expect(quantile([], 0.5)).toBeUndefined()
  })
})

describe('the delay that was added', () => {
  it('is what connecting takes longer, beside the same peer by the spared way', () => {
    const times = new DelayTimes()
    for (let i = 0; i < 100; i += 1) times.add({ plainMs: 110 + (i === 99 ? 90 : 0), sparedMs: 10 })
    expect(times.figures).toEqual({
      addedMs: 100,
      p99Ms: 190,
      normalMs: 10,
      probes: 100,
      unanswered: 0,
    })
  })

  it('is unknown until both ways were answered often enough', () => {
    const times = new DelayTimes()
    expect(times.figures).toBeUndefined()
    times.add({ plainMs: null, sparedMs: 1 })
    times.add({ plainMs: 5, sparedMs: null })
    expect(times.figures).toBeUndefined()
    for (let i = 0; i < 3; i += 1) times.add({ plainMs: 5, sparedMs: 1 })
    expect(times.figures).toMatchObject({ addedMs: 4, probes: 5, unanswered: 1 })
  })

  it('is judged by the newest samples of a long attack', () => {
    const times = new DelayTimes()
    for (let i = 0; i < 10_000; i += 1) times.add({ plainMs: i < 6000 ? 5 : 55, sparedMs: 5 })
    expect(times.figures).toMatchObject({ addedMs: 50, probes: 10_000 })
  })
})
