import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, type ErrorCode } from '../../shared/api/errors.ts'
import { endWhenRefused } from './end-when-refused.ts'
import { openSse } from './sse.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** A stream over a real connection that is asked again three times, with these answers. */
async function streamAsked(answers: readonly (ErrorCode | undefined)[]) {
  const left = [...answers]
  const state = { asked: 0 }
  const server = createServer((_, response) => {
    endWhenRefused(openSse(response), async () => {
      state.asked += 1
      const code = left.shift()
      if (code) throw new ApiError(code, 'so')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  for (let n = 0; n < 3; n += 1) await vi.advanceTimersByTimeAsync(15_000)
  return {
    asked: state.asked,
    text: () => response.text(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test.each(['unauthenticated', 'forbidden', 'wrong_team'] as const)(
  'who is %s reads no further, and is not asked for any more',
  async (code) => {
    await using stream = await streamAsked([undefined, code])
    expect(await stream.text()).toContain('retry: 1000')
    expect(stream.asked).toBe(2)
  },
)

test('while storage is away, and for who may, it goes on', async () => {
  await using stream = await streamAsked(['storage_unavailable', undefined, undefined])
  expect(stream.asked).toBe(3)
})
