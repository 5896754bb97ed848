import { expect, test } from 'vitest'
import type { ApiError } from '../../shared/api/errors.ts'
import { createPace } from './pace.ts'

function busyFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

function fail(): never {
  throw new Error('no')
}

test('half of the time is left for others, however much there is to do', async () => {
  const pace = createPace()
  const spans: [number, number][] = []
  const work = () =>
    pace(() => {
      const since = performance.now()
      busyFor(10)
      spans.push([since, performance.now()])
    })
  await Promise.all(Array.from({ length: 8 }, work))
  const gaps = spans.slice(1).map(([since], index) => since - (spans[index]?.[1] ?? 0))
  // A timer may be a millisecond early.
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(9)
})

test('what fails does not hold up what follows; who comes too late is turned away', async () => {
  const pace = createPace()
  const [failed, ...all] = await Promise.allSettled([
    pace(fail),
    ...Array.from({ length: 60 }, () => pace(() => 'done')),
  ])
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'no' } })
  const done = all.filter(({ status }) => status === 'fulfilled')
  expect(done).toHaveLength(49)
  const reasons = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as ApiError] : []))
  expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(['too_many_logins']))
  await expect(pace(() => 'again')).resolves.toBe('again')
})
