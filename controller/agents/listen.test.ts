import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type ClientHttp2Session } from 'node:http2'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import { listenFor } from './listen.ts'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean()
})

async function listen(port: number, host = '127.0.0.1') {
  const server = new Server()
  const listening = await listenFor(server, ServerCredentials.createInsecure(), { host, port })
  cleanUp.push(() => {
    void listening.close()
    listening.cut()
    server.forceShutdown()
  })
  return listening
}

async function connected(address: string): Promise<ClientHttp2Session> {
  const session = connect(`http://${address}`)
  cleanUp.push(() => session.destroy())
  await once(session, 'remoteSettings')
  return session
}

test('thousands may wait in the kernel to be let in, as far as it allows', async () => {
  const { port } = await listen(0)
  const allowed = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
  const [, , waiting] = execFileSync('ss', ['-Hltn', 'sport', '=', `:${port}`])
    .toString()
    .split(/\s+/)
  expect(Number(waiting)).toBe(Math.min(4_096, allowed))
})

test('a port that is taken is said to be', async () => {
  const { port } = await listen(0)
  await expect(listen(port)).rejects.toThrow(/EADDRINUSE/)
})

test('an address may be a name or IPv6, in brackets or not', async () => {
  for (const host of ['localhost', '::1', '[::1]']) {
    const { port } = await listen(0, host)
    const at = host === 'localhost' ? '127.0.0.1' : '[::1]'
    expect((await connected(`${at}:${port}`)).closed).toBe(false)
  }
})

test('is closed when the last connection is gone, and not before', async () => {
  const listening = await listen(0)
  const session = await connected(`127.0.0.1:${listening.port}`)
  let isClosed = false
  const closing = listening.close().then(() => (isClosed = true))
  // Nobody is let in any more.
  await expect(connected(`127.0.0.1:${listening.port}`)).rejects.toThrow(/ECONNREFUSED/)
  expect(isClosed).toBe(false)
  session.destroy()
  await closing
})

test('who says nothing does not keep it open when connections are broken', async () => {
  const listening = await listen(0)
  const session = await connected(`127.0.0.1:${listening.port}`)
  const closing = listening.close()
  const gone = once(session, 'close')
  listening.cut()
  await Promise.all([closing, gone])
  expect(session.destroyed).toBe(true)
})
