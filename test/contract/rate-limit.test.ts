import { randomUUID } from 'node:crypto'
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

test('another spelling of a key, or made-up ones, buy no more', async () => {
  const owner = await service.signIn()
  const key = (await owner.send('POST', '/apikeys', { json: { identifier: 'spelled' } })).text
  const spelled = (n: number) =>
    Array.from(key, (digit, at) => ((n >> (at % 10)) & 1 ? digit.toUpperCase() : digit)).join('')
  for (const [header, usual] of [
    [(n: number) => `Key ${spelled(n)}`, 200],
    [() => `Bearer ${randomUUID()}`, 401],
    [(n: number) => `Nobody ${n}`, 429],
  ] as const) {
    const statuses = new Set<number>()
    let allowed = 0
    for (let n = 0; n < 700; n += 20) {
      const some = Array.from({ length: 20 }, (_, index) =>
        owner.send('GET', '/users/self', { headers: { authorization: header(n + index) } }),
      )
      for (const { status } of await Promise.all(some)) {
        statuses.add(status)
        if (status !== 429) allowed += 1
      }
    }
    expect(statuses).toEqual(new Set([usual, 429]))
    expect(allowed).toBeLessThanOrEqual(600)
  }
  // Who has a session is not held up by them, nor is who signs in.
  expect((await owner.send('GET', '/users/self')).status).toBe(200)
  expect((await service.signIn()).session.token).toBeTruthy()
})

test('halts are not counted', async () => {
  const halting = await service.signIn()
  const id = await halting.attack(cpuAttack('-l 1 -p 1'))
  for (let round = 0; round < 31; round += 1)
    await Promise.all(Array.from({ length: 20 }, () => halting.halt(id)))
  expect((await halting.send('GET', '/users/self')).status).toBe(200)
})
