import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpuAttack, type Api } from '../support/api.ts'
import type { Answer } from '../support/http.ts'
import { startService, type Service } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** Asks until it is refused, 20 at a time. */
async function untilRefused(api: Api): Promise<{ allowed: number; refused: Answer | undefined }> {
  let allowed = 0
  for (let round = 0; round < 35; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.send('GET', '/users/self')),
    )
    allowed += answers.filter((answer) => answer.status === 200).length
    const refused = answers.find((answer) => answer.status !== 200)
    if (refused) return { allowed, refused }
  }
  return { allowed, refused: undefined }
}

test('after 600 requests a minute a token must wait, but it can still halt and others are not held up', async () => {
  const busy = await service.signIn()
  const id = await busy.attack(cpuAttack('-l 60 -p 1'))
  const { allowed, refused } = await untilRefused(busy)
  expect(allowed + 1).toBeLessThanOrEqual(600)
  expect(allowed + 1).toBeGreaterThanOrEqual(580)
  expect(refused).toMatchObject({
    status: 429,
    reason: 'Too Many Requests',
    json: { error: { code: 'too_many_requests', message: expect.stringMatching(/\w/) } },
  })
  const seconds = Number(refused?.headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)

  expect(await busy.send('POST', '/attacks/new', { json: cpuAttack('-l 1') })).toMatchObject({
    status: 429,
  })
  expect(await busy.halt(id)).toMatchObject([{ guid: id }])
  expect(await busy.halt(id)).toMatchObject([{ guid: id }])
  const [row] = await service.owner.finished(id)
  expect(row?.stage).toBe('UserHalted')
})

test('halts are not counted', async () => {
  const halting = await service.signIn()
  const id = await halting.attack(cpuAttack('-l 1 -p 1'))
  for (let round = 0; round < 31; round += 1)
    await Promise.all(Array.from({ length: 20 }, () => halting.halt(id)))
  expect((await halting.send('GET', '/users/self')).status).toBe(200)
})
