import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOutbound } from './outbound.ts'

let server: Server
let origin: string
const asked: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/redirect') response.writeHead(302, { location: '/landed' }).end()
    else if (request.url === '/long') response.end('x'.repeat(300_000))
    else if (request.url === '/drip') response.write('x')
    else if (request.url !== '/silent') response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const get = (url: string, mayBeLocal = true, ms = 2_000) =>
  createOutbound(() => mayBeLocal)(url, {
    method: 'GET',
    headers: {},
    signal: AbortSignal.timeout(ms),
  })

test('a provider on this machine is asked where that is allowed, by address and by name', async () => {
  expect(await (await get(origin)).text()).toBe('{}')
  expect((await get(origin.replace('127.0.0.1', 'localhost'))).status).toBe(200)
})

test.each([
  'http://127.0.0.1',
  'http://localhost',
  'https://127.0.0.1',
  'https://localhost',
  'https://[::1]',
  'https://2130706433',
  'https://0x7f.1',
  'https://[::ffff:127.0.0.1]',
  'https://0.0.0.0',
  'https://[::]',
])('%s is not asked where that is not allowed', async (address) => {
  const { port } = new URL(origin)
  const before = asked.length
  await expect(get(`${address}:${port}/`, false)).rejects.toMatchObject({ check: 'provider' })
  expect(asked).toHaveLength(before)
})

test.each([
  'http://idp.example/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9.254.169.254/',
  'https://[::ffff:169.254.169.254]/',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://100.100.100.200/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'ftp://idp.example/',
])('%s is never asked', async (address) => {
  await expect(get(address)).rejects.toMatchObject({ check: 'provider' })
})

test('redirects are not followed', async () => {
  expect((await get(`${origin}/redirect`)).status).toBe(302)
  expect(asked).not.toContain('/landed')
})

test('an answer that does not end is not read to its end', async () => {
  await expect(get(`${origin}/long`)).rejects.toMatchObject({ check: 'provider' })
})

test.each(['/silent', '/drip'])('nobody waits for %s', async (path) => {
  await expect(get(`${origin}${path}`, true, 100)).rejects.toThrow(/timeout|aborted/)
})
