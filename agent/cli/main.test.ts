import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { main } from './main.ts'
import { fakeIo, type FakeIo } from './output/fake-io.ts'

const id = '11111111-2222-4333-8444-555555555555'
const attack = {
  guid: id,
  stage: 'Successful',
  stage_lifecycle: 'Complete',
  command_type: 'cpu',
  args: ['-l', '1'],
  length_seconds: 1,
  targets: ['web-1'],
  targets_without_container: [],
  halted_by: null,
  create_user: 'a@b.c',
  target_containers: {},
  annotations: null,
  created_at: '2026-11-20T23:14:08.120Z',
}
const execution = {
  guid: 'e',
  client_id: 'web-1',
  guest_id: null,
  guest_name: null,
  stage: 'Successful',
  stage_lifecycle: 'Complete',
  requested: { metric: 'cpu', value: 50, unit: 'percent_of_capacity', detail: {} },
  measured: { metric: 'cpu', value: 49.96, unit: 'percent_of_capacity', detail: {} },
  backend: 'burner',
  reason: 'completed',
  output: '',
  service_states: [
    { stage: 'Running', timestamp: '2026-11-20T23:14:08.320Z' },
    { stage: 'Successful', timestamp: '2026-11-20T23:14:09.120Z' },
  ],
  updated_at: '2026-11-20T23:14:09.120Z',
  end_time: '2026-11-20T23:14:09.120Z',
}

let server: Server
let io: FakeIo
let bodies: unknown[]
let answer: { status: number; body: unknown } | undefined

beforeEach(async () => {
  bodies = []
  answer = undefined
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      if (body) bodies.push(JSON.parse(body))
      const url = request.url ?? ''
      const known = answer ?? answerTo(request.method ?? '', url)
      response.writeHead(known.status)
      response.end(typeof known.body === 'string' ? known.body : JSON.stringify(known.body))
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  io = fakeIo({ TEMBLOR_URL: `http://127.0.0.1:${port}`, TEMBLOR_TOKEN: 'x' })
})
afterEach(() => server.close())

const event = { attack_id: id, execution_id: 'e', stage: 'Successful', attack, execution }
const stream =
  `retry: 10\n\nid: 1-0\nevent: execution\ndata: ${JSON.stringify(event)}\n\n` +
  `event: end\ndata: ${JSON.stringify(attack)}\n\n`

function answerTo(method: string, url: string): { status: number; body: unknown } {
  if (url.endsWith('/events')) return { status: 200, body: stream }
  if (method === 'POST') return { status: 201, body: id }
  if (method === 'DELETE') return { status: 202, body: [{ ...attack, stage: 'Halt' }] }
  if (url.startsWith('/v1/executions')) return { status: 200, body: [execution] }
  return { status: 200, body: attack }
}

test('attack run sends the flags and the target, waits, and prints what was measured', async () => {
  const args = [
    'attack',
    'run',
    'cpu',
    '-l1',
    '--percent=50',
    '--target',
    'web-1',
    '--label',
    'a=b=c',
  ]
  expect(await main(args, io)).toBe(0)
  expect(bodies).toEqual([
    {
      command: { type: 'cpu', args: ['--length', '1', '--percent', '50'] },
      target: { type: 'Exact', exact: ['web-1'] },
      labels: { a: 'b=c' },
    },
  ])
  expect(io.out.join('\n')).toMatch(/web-1 +Successful +50\.0 % +50\.0 %/)
})

test('--detach prints the id alone', async () => {
  expect(await main(['attack', 'run', 'cpu', '--tag', 'zone=eu', '--detach'], io)).toBe(0)
  expect(io.out).toEqual([id])
  expect(bodies).toEqual([
    { command: { type: 'cpu', args: [] }, target: { type: 'Random', tags: { zone: 'eu' } } },
  ])
})

test('--json prints one document', async () => {
  expect(await main(['attack', 'show', id, '--json'], io)).toBe(0)
  expect(JSON.parse(io.out.join('\n'))).toEqual({ attack, executions: [execution] })
})

test.each([
  [['attack', 'run', 'cpu'], 'Say who is hit'],
  [['attack', 'run', 'cpu', '--random', '--target', 'x'], '--target cannot stand with'],
  [['attack', 'run', 'cpu', '--random', '-p', '500'], '-p/--percent cannot be "500"'],
  [['attack', 'run', 'cpu', '--random', '-p', '-5'], '-p/--percent cannot be "-5"'],
  [['attack', 'run', 'cpu', '--random', '-l', '5', '--length', '6'], 'more than once'],
  [['attack', 'run', 'cpu', '--random', '-c', '1', '-a'], 'contradict each other'],
  [['attack', 'run', 'cpu', '--random', '--label', 'oops'], 'Write it as key=value'],
  [['attack', 'run', 'cpu', '--lenght', '5'], 'Did you mean --length?'],
  [['atack'], 'Did you mean attack?'],
])('%j is a mistake of usage', async (args, message) => {
  expect(await main(args, io)).toBe(2)
  expect(io.err.join('\n')).toContain(message)
  expect(bodies).toEqual([])
})

test.each([
  [401, 'unauthenticated', 4],
  [400, 'invalid_argument', 2],
  [400, 'target_not_found', 1],
])('an error %i %s becomes exit code %i', async (status, code, exitCode) => {
  answer = { status, body: { error: { code, message: 'No.', requestId: 'r' } } }
  expect(await main(['attack', 'list'], io)).toBe(exitCode)
  expect(io.err.join('\n')).toContain('No.')
})

test('a controller that is not there is said in plain words', async () => {
  const gone = fakeIo({ TEMBLOR_URL: 'http://127.0.0.1:1', TEMBLOR_TOKEN: 'x' })
  expect(await main(['attack', 'list'], gone)).toBe(1)
  expect(gone.err[0]).toContain('The controller cannot be reached')
})

test('help leads with examples, and -h stays free', async () => {
  expect(await main(['--help'], io)).toBe(0)
  expect(io.out[0]).toMatch(/^Examples:/)
  expect(await main(['-h'], io)).toBe(2)
})
