import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inSlices } from './slices.ts'

test('the first are done at once, more in slices, and each once', async () => {
  const done: number[] = []
  const add = inSlices<number>(3, (item) => done.push(item))
  for (let item = 1; item <= 8; item += 1) add(item)
  add(8)
  expect(done).toEqual([1, 2, 3])
  await turn()
  expect(done.length).toBeLessThan(8)
  while (done.length < 8) await turn()
  await turn()
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  add(9)
  expect(done.at(-1)).toBe(9)
})
