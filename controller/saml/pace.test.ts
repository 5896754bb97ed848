import { expect, test } from 'vitest'
import type { ApiError } from '../../shared/api/errors.ts'
import { createPace } from './pace.ts'

/** On a busy machine it takes longer. */
function busyFor(cpuMs: number): void {
  const before = process.threadCpuUsage()
  const isDone = () => {
    const { user, system } = process.threadCpuUsage(before)
    return user + system >= 1000 * cpuMs
  }
  while (!isDone());
}

const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0)

function fail(): never {
  throw new Error('no')
}

test('three quarters of the time are left for others, however much there is to do', async () => {
  const pace = createPace()
  const spans: { since: number; until: number; cpuMs: number }[] = []
  const work = () => {
    const [since, used] = [performance.now(), process.threadCpuUsage()]
    busyFor(10)
    const { user, system } = process.threadCpuUsage(used)
    spans.push({ since, until: performance.now(), cpuMs: (user + system) / 1000 })
  }
  await Promise.all(Array.from({ length: 8 }, () => pace.run(work)))
  const rests = spans.slice(1).map(({ since }, index) => since - (spans[index]?.until ?? 0))
  // What is left over from short rests is not yet taken, and a timer may be a millisecond early.
  const least = 3 * sum(spans.slice(0, -1).map(({ cpuMs }) => cpuMs)) - 15 - 8
  expect(sum(rests)).toBeGreaterThanOrEqual(least)
  expect(least).toBeGreaterThan(0)
})

test('what fails does not hold up what follows; who comes too late is turned away', async () => {
  const pace = createPace()
  const [failed, ...all] = await Promise.allSettled([
    pace.run(fail),
    ...Array.from({ length: 60 }, () => pace.run(() => 'done')),
  ])
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'no' } })
  const done = all.filter(({ status }) => status === 'fulfilled')
  expect(done).toHaveLength(49)
  const reasons = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as ApiError] : []))
  expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(['too_many_logins']))
  await expect(pace.run(() => 'again')).resolves.toBe('again')
})
