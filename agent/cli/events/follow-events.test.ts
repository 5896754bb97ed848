import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { ApiError } from '../../../shared/api/errors.ts'
import { followEvents, type OpenStream } from './follow-events.ts'

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** A server that answers each connection as the next of these says. */
async function serve(
  ...answers: ((response: ServerResponse, lastId: string | undefined) => void)[]
): Promise<OpenStream> {
  server = createServer((request, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    answer?.(response, request.headers['last-event-id'] as string | undefined)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return (lastId, signal) =>
    fetch(`http://127.0.0.1:${port}/`, {
      headers: lastId === undefined ? {} : { 'last-event-id': lastId },
      signal,
    })
}

/** Long beside any pause of a busy machine, and short for those that must lose their patience. */
const patient = { lostMs: 60_000, silentMs: 1000 }
const impatient = { lostMs: 300, silentMs: 200 }
const signal = new AbortController().signal

async function take(open: OpenStream, count: number, patience = patient): Promise<string[]> {
  const taken: string[] = []
  for await (const event of followEvents(open, signal, patience)) {
    taken.push(event.data)
    if (taken.length === count) break
  }
  return taken
}

test('a broken connection is resumed after the last event', async () => {
  const open = await serve(
    (response) => {
      response.write('retry: 10\n\nid: 1-0\ndata: first\n\nid: 2-0\ndata: half an ev')
      setTimeout(() => response.destroy(), 20)
    },
    (response, lastId) => response.write(`id: 2-0\ndata: after ${lastId}\n\n`),
  )
  expect(await take(open, 2)).toEqual(['first', 'after 1-0'])
})

test('where to resume may be named before the first event', async () => {
  const open = await serve(
    (response) => response.end('retry: 10\nid: 7-0\n\nid: 8-0\n'),
    (response, lastId) => response.write(`data: after ${lastId}\n\n`),
  )
  expect(await take(open, 1)).toEqual(['after 7-0'])
})

test('a connection that falls silent is given up and resumed', async () => {
  const open = await serve(
    (response) => response.write('retry: 10\n\nid: 1-0\ndata: first\n\n'),
    (response, lastId) => response.write(`data: after ${lastId}\n\n`),
  )
  expect(await take(open, 2)).toEqual(['first', 'after 1-0'])
})

test('a server that only closes is left in the end', async () => {
  const open = await serve((response) => response.end('retry: 10\n\n'))
  await expect(take(open, 1, impatient)).rejects.toThrow('cannot be reached any more: it closed')
})

test('one that never answers is left in the end too', async () => {
  server = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const open: OpenStream = (_, aborted) => fetch(`http://127.0.0.1:${port}/`, { signal: aborted })
  await expect(take(open, 1, impatient)).rejects.toThrow('cannot be reached any more: nothing came')
})

test('a refusal is not tried again', async () => {
  server = createServer()
  let asked = 0
  const open: OpenStream = () => {
    asked += 1
    return Promise.reject(new ApiError('attack_not_found', 'There is none.'))
  }
  await expect(take(open, 1)).rejects.toThrow('There is none.')
  expect(asked).toBe(1)
})

test('it ends with its signal', async () => {
  const open = await serve((response) => response.write('retry: 10\n\n'))
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  const events = followEvents(open, stop.signal, { lostMs: 5_000, silentMs: 5_000 })
  expect((await events.next()).done).toBe(true)
})
