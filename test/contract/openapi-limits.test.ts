import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRedis } from '../../controller/store/redis.ts'
import type { Api } from '../support/api.ts'
import { request, type Answer } from '../support/http.ts'
import { problem } from '../support/problem.ts'
import { forget } from '../support/redis.ts'
import { startService, type Service } from '../support/service.ts'
import {
  goodBody,
  isPublic,
  operationsOf,
  pathOf,
  undocumented,
  type Found,
  type OpenApi,
} from './documented.ts'

/** Answers that every operation may give: too many requests, and storage that is away. */

let service: Service
let document: OpenApi
let operations: Found[]
/** Signed in before anything is used up. */
let calm: Api

beforeAll(async () => {
  service = await startService()
  calm = await service.signIn()
  document = (await request(service.baseUrl, 'GET', '/v1/openapi.json')).json as OpenApi
  operations = operationsOf(document)
})
afterAll(() => service?.[Symbol.asyncDispose]())

const isHalt = ({ operation }: Found) => operation.operationId.startsWith('halt')

/** Asks each operation at the same time. */
async function askAll(api: Api): Promise<(readonly [Found, Answer])[]> {
  return await Promise.all(
    operations.map(async (found) => {
      const options = goodBody(service, found)
      const path = pathOf(found, {})
      const answer = isPublic(found)
        ? await request(service.baseUrl, found.method, `/v1${path}`, options)
        : await api.send(found.method, path, options)
      return [found, answer] as const
    }),
  )
}

/** Uses up what one caller may ask in a minute. */
async function spend(ask: () => Promise<Answer>): Promise<void> {
  for (let round = 0; round < 31; round += 1) await Promise.all(Array.from({ length: 20 }, ask))
  expect((await ask()).status).toBe(429)
}

/** What was asked until now counts no more: a minute begins with whatever is asked next. */
async function beginMinute(): Promise<void> {
  const redis = openRedis(service.local.redisUrl)
  await forget(redis, 'temblor:rate:*')
  redis.disconnect()
}

test('429: every operation but halts, with Retry-After, as documented', async () => {
  const busy = await service.signIn()
  await beginMinute()
  await spend(() => busy.send('GET', '/users/self'))
  await spend(() => request(service.baseUrl, 'GET', '/v1/health'))
  const faults: string[] = []
  for (const [found, answer] of await askAll(busy)) {
    const { operationId } = found.operation
    if ((answer.status === 429) === isHalt(found)) faults.push(`${operationId} ${answer.status}`)
    if (answer.status !== 429) continue
    expect(problem(answer)).toEqual({ status: 429, code: 'too_many_requests' })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    faults.push(...undocumented(document, found, answer).map((one) => `${operationId} ${one}`))
  }
  expect(faults).toEqual([])
})

test('429 is documented exactly where it can happen', () => {
  const faults = operations.filter((found) => isHalt(found) === '429' in found.operation.responses)
  expect(faults.map(({ operation }) => operation.operationId)).toEqual([])
})

test('503: while storage is away every operation that needs it says so within ten seconds, and then recovers', async () => {
  const api = calm
  const { pid } = service.part('redis')
  const faults: string[] = []
  process.kill(pid, 'SIGSTOP')
  try {
    const since = performance.now()
    const answers = await askAll(api)
    expect(performance.now() - since).toBeLessThan(12_000)
    for (const [found, answer] of answers) {
      const { operationId } = found.operation
      const expected = operationId === 'readOpenApi' ? 200 : 503
      if (answer.status !== expected)
        faults.push(`${operationId} ${answer.status} ${answer.text.slice(0, 100)}`)
      faults.push(...undocumented(document, found, answer).map((one) => `${operationId} ${one}`))
      if (answer.status !== 503) continue
      const code = operationId === 'readHealth' ? 'not_ready' : 'storage_unavailable'
      if (problem(answer).code !== code) faults.push(`${operationId} ${problem(answer).code}`)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  expect(faults).toEqual([])
  expect((await api.send('GET', '/attacks')).status).toBe(200)
})
