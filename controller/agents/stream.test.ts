import { once } from 'node:events'
import { credentials, Server, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, expect, it } from 'vitest'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import { loadAgentService } from '../../proto/load.ts'
import { openStream, type AgentCall } from './stream.ts'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean()
})

/** Opens a session with a controller that does this with each message. */
async function openSession(handle: (message: AgentMessage__Output) => void) {
  const Service = loadAgentService()
  const server = new Server()
  server.addService(Service.service, {
    Session: async (call: AgentCall) => {
      call.sendMetadata(call.metadata.clone())
      const stream = openStream(call)
      try {
        await stream.each((message) => {
          handle(message)
          return undefined
        })
      } catch {
        // As with storage that is away.
      } finally {
        stream.close()
      }
    },
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  const client = new Service(`127.0.0.1:${port}`, credentials.createInsecure())
  cleanUp.push(
    () => client.close(),
    () => server.forceShutdown(),
  )
  const call = client.session()
  call.on('error', () => undefined)
  call.resume()
  return call
}

it('ends for the agent as well when the controller cannot go on', async () => {
  const call = await openSession(() => {
    throw new Error('storage is away')
  })
  const status = once(call, 'status', { signal: AbortSignal.timeout(5_000) })
  call.write({ heartbeat: { seq: 1, running: [] } })
  expect(await status).toMatchObject([{ code: 0 }])
})

it('goes on while the controller can', async () => {
  const heard: number[] = []
  const all = Promise.withResolvers<void>()
  const call = await openSession(({ heartbeat }) => {
    heard.push(heartbeat?.seq ?? 0)
    if (heard.length === 3) all.resolve()
  })
  let isOver = false
  call.on('status', () => {
    isOver = true
  })
  for (const seq of [1, 2, 3]) call.write({ heartbeat: { seq, running: [] } })
  await all.promise
  expect({ heard, isOver }).toEqual({ heard: [1, 2, 3], isOver: false })
})
