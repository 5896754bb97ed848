import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { findRedisServer } from '../../deploy/local/redis.ts'
import { runNode, startNode, type Environment, type Running } from '../support/command.ts'
import { request } from '../support/http.ts'
import { freePorts } from '../support/free-ports.ts'
import { temporaryDir } from '../support/service.ts'
import { until } from '../support/until.ts'

const dir = temporaryDir()
const servers: ChildProcess[] = []
const started: Running[] = []
afterEach(async () => {
  for (const running of started.splice(0)) if (!running.hasEnded()) await running.stop('SIGTERM')
  for (const server of servers.splice(0)) {
    server.kill('SIGTERM')
    if (server.exitCode === null) await once(server, 'exit')
  }
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function startRedis(port: number, ...more: readonly string[]): void {
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', '', ...more]
  servers.push(spawn(findRedisServer(), args, { stdio: 'ignore' }))
}

/** Where the API will be, with what it is started with. */
async function place(name: string, redisUrl: string) {
  const [httpPort] = await freePorts(1)
  const environment: Environment = {
    TEMBLOR_DATA_DIR: join(dir, name),
    TEMBLOR_KEY_FILE: join(dir, name, 'keys.json'),
    TEMBLOR_REDIS_URL: redisUrl,
    TEMBLOR_HTTP_PORT: String(httpPort),
    TEMBLOR_GRPC_PORT: '0',
  }
  return { environment, url: `http://127.0.0.1:${httpPort}/v1` }
}

function start(program: string, environment: Environment): Running {
  const running = startNode([program], environment)
  started.push(running)
  return running
}

const timesIn = (running: Running, text: string) => running.output().split(text).length - 1

async function expectNotReady(url: string): Promise<void> {
  const health = await until('the port answers', () =>
    request(url, 'GET', '/v1/health').catch(() => undefined),
  )
  expect(health).toMatchObject({
    status: 503,
    json: { error: { code: 'not_ready', details: { parts: { redis: { status: 'failed' } } } } },
  })
  const login = { json: { email: 'ann@example.org', password: 'a wrong password' } }
  const refused = await request(url, 'POST', '/v1/users/auth', login)
  expect(refused).toMatchObject({ status: 503, json: { error: { code: 'storage_unavailable' } } })
  for (const { headers } of [health, refused])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

async function expectReady(url: string): Promise<void> {
  const isHealthy = async () => (await request(url, 'GET', '/v1/health')).status === 200
  await until('it is ready', () => isHealthy().catch(() => false), 30_000)
  const login = { json: { email: 'ann@example.org', password: 'a wrong password' } }
  expect((await request(url, 'POST', '/v1/users/auth', login)).status).toBe(401)
}

describe('while Redis is not there yet', () => {
  test('a controller says so, once in its log and to whoever asks, and is ready when Redis is', async () => {
    const [port = 0] = await freePorts(1)
    const { environment, url } = await place('late', `redis://127.0.0.1:${port}`)
    const controller = start('dist-controller/controller.js', environment)
    await expectNotReady(url)
    startRedis(port)
    await expectReady(url)
    expect(await controller.stop('SIGTERM')).toMatchObject({ code: 0 })
    expect(timesIn(controller, 'Redis is away')).toBe(1)
    expect(timesIn(controller, 'Redis is there again')).toBe(1)
    expect(controller.output()).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`)
  })

  test('a wrong password is refused at once, and the right one is not', async () => {
    const [port = 0] = await freePorts(1)
    startRedis(port, '--requirepass', 'right')
    const right = await place('right', `redis://:right@127.0.0.1:${port}`)
    start('dist-controller/controller.js', right.environment)
    await expectReady(right.url)
    const wrong = await place('wrong', `redis://:wrong@127.0.0.1:${port}`)
    const ended = await runNode(['dist-controller/controller.js'], wrong.environment)
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(
      /^The Redis that TEMBLOR_REDIS_URL names cannot be used: WRONGPASS/,
    )
  })

  test('npm start waits for it, goes on when it is there, and can be ended before', async () => {
    const [port = 0] = await freePorts(1)
    const { environment, url } = await place('start', `redis://127.0.0.1:${port}`)
    const ended = start('deploy/local/start.ts', environment)
    await until('it waits', () => ended.output().includes('Waiting for Redis'))
    expect(await ended.stop('SIGTERM')).toMatchObject({ code: 0 })
    const service = start('deploy/local/start.ts', environment)
    await expectNotReady(url)
    startRedis(port)
    await until('it says where it is', () => service.output().includes('/users/auth'), 60_000)
    await expectReady(url)
    expect(timesIn(service, 'Waiting for Redis')).toBe(1)
    expect(await service.stop('SIGINT')).toMatchObject({ code: 0 })
  })
})
