import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../main.ts'
import { fakeIo, type FakeIo } from '../output/fake-io.ts'

const id = '5f0c8a52-55a8-4a3e-9a2b-0f8f3b1f6a11'

/** What the controller was asked, in order. */
let asked: string[]
/** Called when the request for the attack is there. */
let onCreate: (response: ServerResponse) => void
let server: Server
let io: FakeIo

beforeEach(async () => {
  asked = []
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => {
      if (request.url?.endsWith('/attacks/new')) onCreate(response)
      else response.writeHead(202).end('[]')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  io = fakeIo({ TEMBLOR_URL: `http://127.0.0.1:${port}`, TEMBLOR_TOKEN: 'x' })
})
afterEach(() => {
  vi.useRealTimers()
  server.closeAllConnections()
  server.close()
})

const run = (...flags: string[]) => main(['attack', 'run', 'cpu', '--random', ...flags], io)

describe('a command that is interrupted before its request is answered', () => {
  test.each([
    ['SIGINT', '--wait'],
    ['SIGTERM', '--detach'],
  ] as const)('by %s with %s halts what it asked for', async (signal, flag) => {
    onCreate = (response) => {
      process.emit(signal, signal)
      response.writeHead(201).end(id)
    }
    expect(await run(flag)).toBe(130)
    expect(asked).toEqual(['POST /v1/attacks/new', `DELETE /v1/attacks/${id}`])
    expect(io.err.join('\n')).toContain(`Interrupted: attack ${id} is being halted.`)
  })

  test('gives up when no answer comes, and says where to look', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onCreate = () => {
      process.emit('SIGINT', 'SIGINT')
      vi.advanceTimersByTime(10_000)
    }
    expect(await run()).toBe(130)
    expect(asked).toEqual(['POST /v1/attacks/new'])
    expect(io.err.join('\n')).toContain('temblor attack list')
  })

  test('is told why when there is no attack', async () => {
    onCreate = (response) => {
      process.emit('SIGINT', 'SIGINT')
      const error = { code: 'target_not_found', message: 'Nobody is there.', requestId: 'r' }
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    }
    expect(await run()).not.toBe(130)
    expect(asked).toEqual(['POST /v1/attacks/new'])
    expect(io.err.join('\n')).toContain('Nobody is there.')
  })
})
