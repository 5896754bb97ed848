import { expect, test } from 'vitest'
import { evaluate } from './observe.ts'

/** Samples every 20 ms over 4 s; the load is half a core from 1 s to 3 s. */
const samples = Array.from({ length: 201 }, (_, i) => {
  const at = i * 20
  const burnt = Math.min(Math.max(0, at - 1000), 2000) * 0.5
  return { at, cpuMs: 100 + burnt, idleMs: at * 1.25 }
})

test('finds begin, end and level of a load', () => {
  const seen = evaluate(samples)
  expect(seen.firstBurnAt).toBe(1000)
  expect(seen.lastBurnAt).toBe(3000)
  expect(seen.cores).toBeCloseTo(0.5, 3)
  expect(seen.idleCores).toBeCloseTo(1.25, 3)
  expect(seen.totalCpuMs).toBeCloseTo(1000, 3)
})

test('a target that was left alone shows nothing', () => {
  const quiet = samples.map((sample) => ({ ...sample, cpuMs: 7 }))
  expect(evaluate(quiet)).toMatchObject({ firstBurnAt: undefined, cores: 0, totalCpuMs: 0 })
  expect(evaluate([])).toMatchObject({ firstBurnAt: undefined, cores: 0 })
})
