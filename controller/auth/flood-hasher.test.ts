import { expect, it } from 'vitest'
import type { Hasher } from './argon2.ts'
import { createFloodHasher } from './flood-hasher.ts'

it('leaves to the other what comes beyond ten at once', async () => {
  let left = 0
  const inFloods: Hasher = {
    hash: async () => `${(left += 1)}`,
    verify: async () => (left += 1) > 0,
  }
  const hasher = createFloodHasher(inFloods)
  const stored = await hasher.hash('right')
  const checks = Array.from({ length: 9 }, () => hasher.verify(stored, 'wrong'))
  expect(left).toBe(0)
  const beyond = Array.from({ length: 20 }, () => hasher.verify(stored, 'wrong'))
  expect(left).toBeGreaterThan(17)
  expect((await Promise.all(checks)).includes(true)).toBe(false)
  expect((await Promise.all(beyond)).includes(true)).toBe(true)
})
