import { readFileSync } from 'node:fs'
import { Redis, type ChainableCommander, type RedisOptions } from 'ioredis'

/** A connection to Redis; every other file of the store is given one. */
export type { Redis } from 'ioredis'

/** How long a command may take before the caller is told that storage is away. */
const commandTimeoutMs = 3_000

/** Connects to `redis://…`, `rediss://…` or `unix:///path`. Reconnects by itself. */
export function openRedis(url: string): Redis {
  const redis = connect(url, {
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1_000),
  })
  redis.on('connect', () => writeTogether(redis.stream))
  return redis
}

/** What is asked for at once leaves in one write: Redis wakes once for it, and syncs what it writes once. */
function writeTogether(stream: Redis['stream']): void {
  const send = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = (...args: unknown[]) => {
    if (stream.writableCorked === 0) {
      stream.cork()
      process.nextTick(() => stream.uncork())
    }
    return send(...args)
  }
}

/** Connects as BullMQ needs it: its workers block, so no command may time out. */
export function openBlockingRedis(url: string): Redis {
  return connect(url, { maxRetriesPerRequest: null, enableReadyCheck: false })
}

function connect(url: string, options: Omit<RedisOptions, 'replyMapping'>): Redis {
  return url.startsWith('unix://')
    ? new Redis({ ...options, path: url.slice('unix://'.length) })
    : new Redis(url, options)
}

/** The answers of a pipeline in their order. @throws Error the first error among them */
export async function answersOf(pipeline: ChainableCommander): Promise<unknown[]> {
  return ((await pipeline.exec()) ?? []).map(([error, value]) => {
    if (error) throw error
    return value
  })
}

/** Redis' clock, epoch ms: the one clock that leases and due times are judged by. */
export async function redisNowMs(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time()
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
}

/** True for errors that mean "Redis is away or refuses to write", not "the request is wrong". */
export function isStorageError(error: unknown): boolean {
  // Node calls a request that its client broke off ECONNRESET, too.
  if (!(error instanceof Error) || error.message === 'aborted') return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    error.name === 'MaxRetriesPerRequestError' ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'].includes(code) ||
    /^(Connection is closed|Command timed out|OOM|READONLY|LOADING|MISCONF|CLUSTERDOWN)/.test(
      error.message,
    ) ||
    /Stream isn't writeable/.test(error.message)
  )
}

/** A Lua script of `store/lua`, run by its hash and loaded when Redis does not know it. */
export interface Script {
  run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
}

/**
 * Reads `store/lua/<name>.lua`, and what it includes from `lua/include`. The shebang in it makes Redis
 * refuse keys of another slot.
 */
export function loadScript(name: string): Script {
  const source = readLua(name).replace(/^-- @include (\S+)$/gm, (_, part) =>
    readLua(`include/${part}`),
  )
  const command = `temblor_${name.replaceAll('-', '_')}`
  return {
    run(redis, keys, args) {
      const scripts = redis as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>
      if (!scripts[command]) redis.defineCommand(command, { lua: source })
      return (scripts[command] as (...all: unknown[]) => Promise<unknown>).call(
        redis,
        keys.length,
        ...keys,
        ...args,
      )
    },
  }
}

/** What in the configuration of this Redis could lose acknowledged attacks; empty when nothing. */
export async function durabilityWarnings(redis: Redis): Promise<string[]> {
  const wanted = {
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
  } as const
  const warnings: string[] = []
  for (const [setting, value] of Object.entries(wanted)) {
    const [, actual] = (await redis.config('GET', setting).catch(() => [])) as string[]
    if (actual === undefined) warnings.push(`Cannot read the Redis setting ${setting}.`)
    else if (actual !== value)
      warnings.push(
        `Redis has ${setting} ${actual}: acknowledged attacks can be lost. Set ${setting} ${value}.`,
      )
  }
  return warnings
}

function readLua(path: string): string {
  return readFileSync(new URL(`lua/${path}.lua`, import.meta.url), 'utf8')
}
