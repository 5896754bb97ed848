import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { durabilityWarnings } from '../../controller/store/durability.ts'
import {
  answersForAll,
  answersOf,
  isStorageError,
  openRedis,
  openSubscriber,
  redisNowMs,
  serversOf,
  type Redis,
} from '../../controller/store/redis.ts'
import { startTestCluster, type TestCluster } from '../support/redis-cluster.ts'
import { elapse, until } from '../support/until.ts'

let cluster: TestCluster
let redis: Redis

beforeAll(async () => {
  cluster = await startTestCluster()
  redis = openRedis(cluster.url)
  redis.on('error', () => undefined)
  await redis.ping()
})

afterAll(async () => {
  redis.disconnect()
  await cluster[Symbol.asyncDispose]()
})

/** Of each node, one name that it keeps. */
async function namesByNode(): Promise<string[]> {
  const names = Array.from({ length: 30 }, (_, index) => `temblor:{t:${index}}:x`)
  for (const name of names) await redis.set(name, name)
  return await Promise.all(
    cluster.nodes.map(async (node) => {
      const [first] = await node.redis.keys('temblor:*:x')
      return first as string
    }),
  )
}

test('keys lie on all nodes, and each is found again', async () => {
  const names = await namesByNode()
  expect(new Set(names).size).toBe(3)
  for (const name of names) expect(await redis.get(name)).toBe(name)
})

test('the clock that is asked is that of the node which keeps the key', async () => {
  const names = await namesByNode()
  const before = await Promise.all(cluster.nodes.map((node) => calls(node.redis)))
  for (const name of names)
    expect(Math.abs((await redisNowMs(redis, name)) - Date.now())).toBeLessThan(5_000)
  const after = await Promise.all(cluster.nodes.map((node) => calls(node.redis)))
  expect(after.map((count, index) => count > (before[index] as number))).toEqual([true, true, true])
})

/** How often a script asked this node for the time. */
async function calls(node: TestCluster['nodes'][number]['redis']): Promise<number> {
  const stats = await node.info('commandstats')
  return Number(/cmdstat_time:calls=(\d+)/.exec(stats)?.[1] ?? 0)
}

test('what is in one slot is changed in one transaction; what is in two is refused', async () => {
  const one = redis.multi().set('temblor:{t:1}:a', 1).incr('temblor:{t:1}:a')
  expect(await answersOf(one)).toEqual(['OK', 2])
  const [first, second] = await namesByNode()
  const two = redis
    .multi()
    .set(first as string, 1)
    .set(second as string, 1)
  await expect(answersOf(two)).rejects.toThrow(/same slots/)
})

test('a channel is heard of whichever node it is', async () => {
  const subscriber = openSubscriber(cluster.url)
  subscriber.on('error', () => undefined)
  try {
    for (const channel of await namesByNode()) {
      await subscriber.ssubscribe(channel)
      const heard = once(subscriber, 'smessage')
      await redis.spublish(channel, 'ring')
      expect((await heard).slice(0, 2)).toEqual([channel, 'ring'])
    }
  } finally {
    subscriber.disconnect()
  }
})

test('each node that could lose data is named', async () => {
  expect(await durabilityWarnings(redis)).toEqual([])
  const [first] = cluster.nodes
  await first?.redis.config('SET', 'appendfsync', 'everysec')
  const warnings = await durabilityWarnings(redis)
  expect(warnings).toEqual([expect.stringContaining(`127.0.0.1:${first?.port} has appendfsync`)])
  await first?.redis.config('SET', 'appendfsync', 'always')
})

test('what a node was asked before it stood still, and was given up, is not asked again', async () => {
  const [name = ''] = await namesByNode()
  const [count, other] = [`${name}:count`, `${name}:other`]
  const [node] = cluster.nodes
  const client = (await serversOf(redis)).find(({ options }) => options.port === node?.port)
  const closed = new Promise<void>((done) => client?.once('close', () => done()))
  node?.server.kill('SIGSTOP')
  try {
    await expect(redis.incr(count)).rejects.toThrow('timed out')
    await closed
    // Whoever sends it once more does so within this time.
    await elapse(300)
  } finally {
    node?.server.kill('SIGCONT')
  }
  await until('it is there again', () => redis.set(other, 1).catch(() => undefined), 15_000)
  // It was read from the old connection when the node went on.
  expect(await redis.get(count)).toBe('1')
})

test('whoever asks a Cluster that is away is told so in seconds', { timeout: 30_000 }, async () => {
  await redis.set('temblor:{t:1}:a', 1)
  expect(await answersForAll(redis)).toBe(true)
  for (const [index, node] of cluster.nodes.entries()) {
    // One away is known before the others go.
    if (index === 1) await until('a part is away', async () => !(await answersForAll(redis)))
    node.redis.disconnect()
    node.server.kill('SIGKILL')
    await once(node.server, 'exit')
  }
  const startedAt = Date.now()
  const ask = () => redis.incr('temblor:{t:1}:a').catch((reason: unknown) => reason)
  // One finds a broken connection, the other none at all.
  const asked = [ask(), elapse(500).then(ask)]
  for (const error of await Promise.all(asked))
    expect({ error: String(error), isAway: isStorageError(error) }).toMatchObject({ isAway: true })
  expect(Date.now() - startedAt).toBeLessThan(6_000)
})
