import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { openRedis } from '../../../controller/store/redis.ts'
import { findRedisServer, socketPath } from '../../../deploy/local/redis.ts'
import { until } from '../../support/until.ts'
import type { PartOptions, PartProcess } from './part.ts'
import { preparePoweredRedis } from './powered-redis.ts'
import type { Target } from './relay.ts'

type Add = (options: Omit<PartOptions, 'onDeath' | 'logFile'>) => PartProcess

/** A Redis of the run, and the way to it. */
interface RunRedis {
  readonly url: string
  readonly place: Target
}

/** Nothing that was answered may be lost. */
const settings = {
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
  save: "''",
}

/** Time for an emulated machine to boot beside others. */
const bootMs = 120_000

/** Redis as a process on a socket. */
export async function addRedis(dir: string, add: Add): Promise<RunRedis> {
  const redisDir = path.join(dir, 'redis')
  mkdirSync(redisDir, { recursive: true })
  const socket = socketPath(redisDir)
  const url = `unix://${socket}`
  const args = asArgs({ ...settings, save: '', port: '0', unixsocket: socket, dir: redisDir })
  const untilReady = () => untilAnswers(url)
  await add({ name: 'redis', program: findRedisServer(), args, untilReady }).start()
  return { url, place: { path: socket } }
}

/** Redis in an emulated machine: to kill this part is to cut its power. */
export async function addPoweredRedis(dir: string, add: Add): Promise<RunRedis> {
  const { program, args, port } = await preparePoweredRedis(dir, asArgs(settings))
  const url = `redis://127.0.0.1:${port}`
  await add({ name: 'redis', program, args, untilReady: () => untilAnswers(url) }).start()
  return { url, place: { port } }
}

/** From now on a power cut loses what the kernel has not written by itself. */
export async function stopSyncing(url: string): Promise<void> {
  const redis = openRedis(url)
  redis.on('error', () => undefined)
  await redis.config('SET', 'appendfsync', 'no')
  redis.disconnect()
}

async function untilAnswers(url: string): Promise<void> {
  const redis = openRedis(url)
  redis.on('error', () => undefined)
  const isThere = async () => (await redis.ping().catch(() => '')) === 'PONG'
  try {
    await until('Redis answers', isThere, bootMs)
  } finally {
    redis.disconnect()
  }
}

function asArgs(all: Readonly<Record<string, string>>): string[] {
  return Object.entries(all).flatMap(([key, value]) => [`--${key}`, value])
}
