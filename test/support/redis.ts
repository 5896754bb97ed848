import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRedisServer } from '../../deploy/local/redis.ts'
import { openRedis, serversOf, type Redis } from '../../controller/store/redis.ts'
import { emptyCluster } from './redis-cluster.ts'
import { until } from './until.ts'

export interface TestRedis extends AsyncDisposable {
  readonly url: string
  readonly redis: Redis
}

/**
 * A Redis of its own on a private socket, as durable as the real one, gone afterwards. In the project `cluster` it is
 * the Cluster of the project, emptied.
 */
export async function startTestRedis(): Promise<TestRedis> {
  const shared = await sharedCluster()
  if (shared !== undefined) return openShared(shared)
  const dir = mkdtempSync(join(tmpdir(), 'temblor-redis-'))
  const socket = join(dir, 'redis.sock')
  const settings = ['--port', '0', '--unixsocket', socket, '--dir', dir, '--save', '']
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always']
  const noEviction = ['--maxmemory-policy', 'noeviction']
  const server = spawn(findRedisServer(), [...settings, ...durable, ...noEviction], {
    stdio: 'ignore',
  })
  const url = `unix://${socket}`
  const redis = openRedis(url)
  redis.on('error', () => undefined)
  await until('redis answers', async () => (await redis.ping().catch(() => '')) === 'PONG')
  return {
    url,
    redis,
    async [Symbol.asyncDispose]() {
      redis.disconnect()
      server.kill('SIGTERM')
      await once(server, 'exit')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The address of the Cluster that all of this file uses, emptied; undefined where each test has a Redis of its own. */
export async function sharedCluster(): Promise<string | undefined> {
  const url = process.env['TEMBLOR_TEST_REDIS_URL']
  if (url !== undefined) await emptyCluster(url)
  return url
}

function openShared(url: string): TestRedis {
  const redis = openRedis(url)
  redis.on('error', () => undefined)
  return {
    url,
    redis,
    [Symbol.asyncDispose]: async () => redis.disconnect(),
  }
}

/** The names of all keys like this, on whichever server. */
export async function namesIn(redis: Redis, pattern = '*'): Promise<string[]> {
  const servers = await serversOf(redis)
  return (await Promise.all(servers.map((server) => server.keys(pattern)))).flat()
}

/** Removes all keys like these, on whichever server. */
export async function forget(redis: Redis, ...patterns: readonly string[]): Promise<void> {
  const names = await Promise.all(patterns.map((pattern) => namesIn(redis, pattern)))
  await Promise.all(names.flat().map((name) => redis.del(name)))
}

/** Every value that Redis holds, of whatever type, as text. */
export async function everythingIn(redis: Redis): Promise<string[]> {
  const names = await namesIn(redis)
  const values = await Promise.all(
    names.map(async (name) => {
      const type = await redis.type(name)
      if (type === 'string') return await redis.get(name)
      if (type === 'hash') return JSON.stringify(await redis.hgetall(name))
      if (type === 'set') return JSON.stringify(await redis.smembers(name))
      if (type === 'zset') return JSON.stringify(await redis.zrange(name, '0', '-1'))
      if (type === 'list') return JSON.stringify(await redis.lrange(name, 0, -1))
      return type === 'stream' ? JSON.stringify(await redis.xrange(name, '-', '+')) : ''
    }),
  )
  return values.map(String)
}
