import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startTestController } from '../support/in-process.ts'

/** Browsers open connections in advance, and may never send anything over them. */
test('a connection over which nothing was asked does not keep a controller from ending', async () => {
  const controller = await startTestController()
  const socket = connect(Number(new URL(controller.baseUrl).port), '127.0.0.1')
  await once(socket, 'connect')
  const since = performance.now()
  await controller[Symbol.asyncDispose]()
  // By itself such a connection ends after a minute.
  expect(performance.now() - since).toBeLessThan(20_000)
  socket.destroy()
}, 30_000)
