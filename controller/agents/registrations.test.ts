import { expect, test } from 'vitest'
import { createRegistrations } from './registrations.ts'

test('lets in so many a second, and tells the others to come one after the other', () => {
  let atMs = 0
  const admit = createRegistrations(2, () => atMs)
  expect([admit(), admit()]).toEqual([{ ok: true }, { ok: true }])
  expect([admit(), admit(), admit()]).toEqual([
    { ok: false, retryAfterMs: 500 },
    { ok: false, retryAfterMs: 1_000 },
    { ok: false, retryAfterMs: 1_500 },
  ])
  atMs = 500
  expect(admit()).toEqual({ ok: true })
  expect(admit()).toMatchObject({ ok: false })
  atMs = 60_000
  expect([admit(), admit(), admit()].map(({ ok }) => ok)).toEqual([true, true, false])
})
