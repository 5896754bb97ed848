import { readFileSync } from 'node:fs'
import {
  Cluster,
  Redis as SingleRedis,
  type ChainableCommander,
  type Command,
  type RedisOptions,
} from 'ioredis'
import { readRedisUrl, type RedisAddress } from './redis-address.ts'

/**
 * A connection to Redis, be it one server or a Cluster; every other file of the store is given one. What is asked of
 * a Cluster in one pipeline or transaction must be in one slot.
 */
export type Redis = Pick<SingleRedis, keyof SingleRedis & keyof Cluster>

/** How long a command may take before the caller is told that storage is away. */
export const commandTimeoutMs = 3_000

/** A server that says nothing for so long is connected to anew: what it was asked would pile up here. */
const socketTimeoutMs = 10_000

type Options = Omit<RedisOptions, 'replyMapping'>

const retryStrategy = (attempt: number) => Math.min(50 * 2 ** attempt, 1_000)

/** Connects to what TEMBLOR_REDIS_URL names. Reconnects by itself. */
export function openRedis(url: string): Redis {
  const address = readRedisUrl(url)
  if (address.kind === 'cluster') {
    const cluster = new BoundedCluster(
      [...address.nodes],
      clusterOptions(address, {
        commandTimeout: commandTimeoutMs,
        socketTimeout: socketTimeoutMs,
      }),
    )
    cluster.on('+node', (node: SingleRedis) => node.on('connect', () => writeTogether(node.stream)))
    return asRedis(cluster)
  }
  const options = {
    commandTimeout: commandTimeoutMs,
    socketTimeout: socketTimeoutMs,
    maxRetriesPerRequest: 1,
    retryStrategy,
  }
  const redis = connect(address, options)
  redis.on('connect', () => writeTogether(redis.stream))
  return redis
}

/** What is asked for at once leaves in one write: Redis wakes once for it, and syncs what it writes once. */
function writeTogether(stream: SingleRedis['stream']): void {
  const send = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = (...args: unknown[]) => {
    if (stream.writableCorked === 0) {
      stream.cork()
      process.nextTick(() => stream.uncork())
    }
    return send(...args)
  }
}

/** Connects as BullMQ and readers of streams need it: they block, so no command may time out. */
export function openBlockingRedis(url: string): Redis {
  const address = readRedisUrl(url)
  const options = { maxRetriesPerRequest: null, enableReadyCheck: false }
  return address.kind === 'cluster'
    ? asRedis(new Cluster([...address.nodes], clusterOptions(address, options)))
    : connect(address, options)
}

/**
 * Connects to hear sharded channels (`ssubscribe`, then `smessage` events); subscriptions outlive reconnects. With a
 * Cluster it hears each channel at the node that has its slot. Others publish by `spublish` on their own connection.
 */
export function openSubscriber(url: string): Redis {
  const address = readRedisUrl(url)
  const options = { maxRetriesPerRequest: null }
  if (address.kind !== 'cluster') return connect(address, options)
  const sharded = { ...clusterOptions(address, options), shardedSubscribers: true }
  return asRedis(new Cluster([...address.nodes], sharded))
}

/** The same connection, as BullMQ takes it. */
export function forJobs(redis: Redis): SingleRedis | Cluster {
  return redis as unknown as SingleRedis | Cluster
}

/** Whether data are spread over several nodes by slot. */
export function isCluster(redis: Redis): boolean {
  return redis.isCluster
}

/** True when Redis answers for all data. @throws Error when it does not answer at all */
export async function answersForAll(redis: Redis): Promise<boolean> {
  await redis.ping()
  return !isCluster(redis) || (await redis.cluster('INFO')).includes('cluster_state:ok')
}

/** Every server that holds data: the masters of a Cluster, or the one there is. */
export async function serversOf(redis: Redis): Promise<SingleRedis[]> {
  const client = redis as unknown as SingleRedis | Cluster
  if (!(client instanceof Cluster)) return [client]
  // Only who has answered has told of all others.
  await client.ping()
  return client.nodes('master')
}

function asRedis(cluster: Cluster): Redis {
  return cluster as unknown as Redis
}

/** Who asked for it was told that storage does not answer: it is not sent any more, nor sent again. */
function isGivenUp(command: Command): boolean {
  return (command as Command & { isSettled: boolean }).isSettled
}

/** One that leaves out what was given up when it connects anew. */
class BoundedRedis extends SingleRedis {
  override sendCommand(...[command, ...rest]: Parameters<SingleRedis['sendCommand']>): unknown {
    return isGivenUp(command) ? command.promise : super.sendCommand(command, ...rest)
  }
}

/** One that gives up what waits for a Cluster that is away, as a single connection does. */
class BoundedCluster extends Cluster {
  override sendCommand(...[command, ...rest]: Parameters<Cluster['sendCommand']>): unknown {
    if (isGivenUp(command)) return command.promise
    command.setTimeout(commandTimeoutMs)
    const sent = super.sendCommand(command, ...rest)
    // By now that asks another node, which must not be asked for what is given up.
    const reject = command.reject
    command.reject = (error) => {
      if (!isGivenUp(command)) reject(error)
    }
    return sent
  }
}

function clusterOptions(
  { isTls, username, password }: Extract<RedisAddress, { kind: 'cluster' }>,
  { enableReadyCheck = true, ...options }: Options,
) {
  return {
    enableReadyCheck,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: commandTimeoutMs,
    // A certificate is for the name of a node, not for its address.
    ...(isTls ? { dnsLookup: keepName } : {}),
    redisOptions: {
      ...options,
      ...(isTls ? { tls: {} } : {}),
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    },
  }
}

function keepName(host: string, callback: (error: null, address: string) => void): void {
  callback(null, host)
}

function connect(
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  options: Options,
): SingleRedis {
  if (address.kind === 'single') return new BoundedRedis(address.url, options)
  if (address.kind === 'socket') return new BoundedRedis({ ...options, path: address.path })
  const { nodes, name, isTls, username, password } = address
  return new BoundedRedis({
    ...options,
    sentinels: [...nodes],
    name,
    ...(isTls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  })
}

/** The answers of a pipeline in their order. @throws Error the first error among them */
export async function answersOf(pipeline: ChainableCommander): Promise<unknown[]> {
  return ((await pipeline.exec()) ?? []).map(([error, value]) => {
    if (error) throw error
    return value
  })
}

/**
 * The clock that leases and due times are judged by, epoch ms: that of the server which keeps this key. Servers of a
 * Cluster need not agree.
 */
export async function redisNowMs(redis: Redis, key: string): Promise<number> {
  return Number(await now.run(redis, [key], []))
}

/** True for errors that mean "Redis is away or refuses to write", not "the request is wrong". */
export function isStorageError(error: unknown): boolean {
  // Node calls a request that its client broke off ECONNRESET, too.
  if (!(error instanceof Error) || error.message === 'aborted') return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    ['MaxRetriesPerRequestError', 'ClusterAllFailedError'].includes(error.name) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'].includes(code) ||
    /^(Connection is closed|Command timed out|Socket timeout|OOM|READONLY|LOADING|MISCONF|NOREPLICAS)/.test(
      error.message,
    ) ||
    /^(CLUSTERDOWN|TRYAGAIN|Too many Cluster redirections|None of startup nodes)/.test(
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
  const source = sourceOf(readLua(name))
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

const now = loadScript('now')

/** A script with what it includes from `lua/include`. */
export function sourceOf(script: string): string {
  return script.replace(/^-- @include (\S+)$/gm, (_, part) => readLua(`include/${part}`))
}

function readLua(path: string): string {
  return readFileSync(new URL(`lua/${path}.lua`, import.meta.url), 'utf8')
}
