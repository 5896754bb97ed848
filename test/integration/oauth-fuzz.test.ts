import { expect, test } from 'vitest'
import { fuzzOAuth } from '../fuzz/oauth.ts'
import { startTestController } from '../support/in-process.ts'

test('200 callbacks that are changed at random let nobody in, and none is a fault of the server', async () => {
  await using controller = await startTestController()
  const report = await fuzzOAuth(controller, { seed: 20_261_121, from: 0, count: 200 })
  expect(report.failures).toEqual([])
  expect(report.damage).toEqual([])
  expect(report.untouched).toBe(20)
  expect(report.byStatus['401']).toBeGreaterThan(50)
})
