import { expect, it } from 'vitest'
import { elapse } from '../../test/support/until.ts'
import { SleepWatch, sinceBootMs } from './sleep-watch.ts'

/** Two clocks; `look` is what happens between two looks at them. */
function clocks() {
  const time = { awakeMs: 5000, aheadMs: 70_000, look: () => undefined as void }
  const read = (value: () => number) => () => {
    const now = value()
    time.look()
    return now
  }
  const watch = () =>
    new SleepWatch(
      read(() => time.awakeMs + time.aheadMs),
      read(() => time.awakeMs),
    )
  return { time, watch }
}

it('tells sleep from time that goes by', () => {
  const { time, watch } = clocks()
  const seen = watch()
  time.awakeMs += 3_600_000
  expect(seen.sleptMs()).toBe(0)
  time.aheadMs += 3_600_000
  expect(seen.sleptMs()).toBe(3_600_000)
  time.aheadMs += 1000
  expect(seen.sleptMs()).toBe(3_601_000)
  expect(watch().sleptMs()).toBe(0)
})

it('does not take a process that was stopped between two looks for a machine that slept', () => {
  const { time, watch } = clocks()
  const seen = watch()
  time.look = () => void (time.awakeMs += 60_000)
  expect(seen.sleptMs()).toBe(0)
  const stoppedAtFirst = watch()
  time.look = () => undefined
  expect(stoppedAtFirst.sleptMs()).toBe(0)
  time.aheadMs += 10_000
  expect([seen.sleptMs(), stoppedAtFirst.sleptMs()]).toEqual([10_000, 10_000])
})

it('does not take a clock that cannot be read for one that stood still', () => {
  const { time, watch } = clocks()
  const aheadMs = time.aheadMs
  time.aheadMs = NaN
  const seen = watch()
  expect(seen.sleptMs()).toBe(0)
  time.aheadMs = aheadMs
  expect(seen.sleptMs()).toBe(0)
  time.aheadMs = NaN
  expect(seen.sleptMs()).toBe(0)
  time.aheadMs = aheadMs + 9000
  expect(seen.sleptMs()).toBe(9000)
})

it('goes with the other clock while this machine is awake', async () => {
  const seen = new SleepWatch()
  const from = sinceBootMs()
  await elapse(300)
  expect(sinceBootMs() - from).toBeGreaterThan(250)
  expect(seen.sleptMs()).toBeLessThan(50)
})
