import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzz, harmless } from '../fuzz/fuzz.ts'
import { request } from '../support/http.ts'
import { problem } from '../support/problem.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService(harmless)
})
afterAll(() => service?.[Symbol.asyncDispose]())

test('500 generated requests get no 5xx, no silence, no odd error, and change nothing when refused', async () => {
  const report = await fuzz(service, { seed: 20_261_120, from: 0, count: 500, connections: 4 })
  expect(
    report.failures.map(({ index, fault, request: sent }) => ({
      index,
      fault,
      sent: sent.bytes.toString('latin1').slice(0, 500),
    })),
  ).toEqual([])
  expect(report.damage).toEqual([])
  // The generator reaches what is good as well as what is bad.
  expect(Object.keys(report.byStatus)).toEqual(
    expect.arrayContaining(['200', '201', '400', '401', '404']),
  )
})

test.each(['/halts', '/attacks/new', '/attacks/preview', '/containers/match'])(
  'lists 5,000 deep are refused at %s like any other bad body',
  async (path) => {
    const text = '['.repeat(5_000) + ']'.repeat(5_000)
    const headers = { 'content-type': 'application/json' }
    const answer = await service.owner.send('POST', path, { text, headers })
    expect(problem(answer)).toMatchObject({ status: 400 })
  },
)

test('HEAD of a stream of events is answered', async () => {
  const head = request(service.baseUrl, 'HEAD', '/v1/events', {
    headers: { authorization: service.owner.session.header },
  })
  const late = AbortSignal.timeout(3_000)
  const tooLate = new Promise<never>((_, fail) => {
    late.addEventListener('abort', () => fail(new Error('no end')))
  })
  expect((await Promise.race([head, tooLate])).status).toBeGreaterThan(0)
})
