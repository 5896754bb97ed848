import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzz } from '../fuzz/fuzz.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ TEMBLOR_ALLOW_ATTACKS: 'none' })
})
afterAll(() => service?.[Symbol.asyncDispose]())

test('500 generated requests get no 5xx, no silence, no odd error, and change nothing when refused', async () => {
  const report = await fuzz(service, { seed: 20_261_120, from: 0, count: 500, connections: 4 })
  expect(
    report.failures.map(({ index, fault, request }) => ({
      index,
      fault,
      sent: request.bytes.toString('latin1').slice(0, 500),
    })),
  ).toEqual([])
  expect(report.damage).toEqual([])
  // The generator reaches what is good as well as what is bad.
  expect(Object.keys(report.byStatus)).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '404']),
  )
})
