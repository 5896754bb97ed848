import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { findRedisServer } from '../../deploy/local/redis.ts'
import { freePorts } from './free-ports.ts'
import { until } from './until.ts'

export interface TestCluster extends AsyncDisposable {
  /** As TEMBLOR_REDIS_URL takes it. */
  readonly url: string
  readonly nodes: readonly ClusterNode[]
}

export interface ClusterNode {
  readonly port: number
  readonly redis: Redis
  readonly server: ChildProcess
}

const allSlots = 16_384

/** A Redis Cluster of masters on loopback, as durable as the real one, gone afterwards. */
export async function startTestCluster(size = 3): Promise<TestCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'temblor-cluster-'))
  const ports = await freePorts(2 * size)
  const nodes = Array.from({ length: size }, (_, index) =>
    startNode(dir, ports[2 * index] as number, ports[2 * index + 1] as number),
  )
  for (const [index, { redis }] of nodes.entries()) {
    await until('redis answers', async () => (await redis.ping().catch(() => '')) === 'PONG')
    const [from, to] = [index, index + 1].map((n) => Math.floor((n * allSlots) / size))
    await redis.cluster('SET-CONFIG-EPOCH', index + 1)
    await redis.cluster('ADDSLOTSRANGE', from as number, (to as number) - 1)
  }
  for (const [index] of nodes.entries())
    await nodes[0]?.redis.call(
      'CLUSTER',
      'MEET',
      '127.0.0.1',
      ...ports.slice(2 * index, 2 * index + 2),
    )
  for (const { redis } of nodes)
    await until('the nodes know each other', async () => {
      const info = await redis.cluster('INFO')
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}`)
    })
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}`,
    nodes,
    async [Symbol.asyncDispose]() {
      for (const { redis, server } of nodes) {
        redis.disconnect()
        if (server.exitCode !== null || server.signalCode !== null) continue
        server.kill('SIGKILL')
        await once(server, 'exit')
      }
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Forgets everything in a Cluster. */
export async function emptyCluster(url: string): Promise<void> {
  for (const address of url.split('//')[1]?.split(',') ?? []) {
    const redis = new Redis(`redis://${address}`)
    await redis.flushall()
    redis.disconnect()
  }
}

function startNode(parent: string, port: number, busPort: number): ClusterNode {
  const dir = join(parent, String(port))
  mkdirSync(dir)
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)]
  const settings = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', '']
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always']
  const noEviction = ['--maxmemory-policy', 'noeviction', '--cluster-node-timeout', '2000']
  const server = spawn(findRedisServer(), [...cluster, ...settings, ...durable, ...noEviction], {
    stdio: 'ignore',
  })
  const redis = new Redis({ port, retryStrategy: () => 50, maxRetriesPerRequest: null })
  redis.on('error', () => undefined)
  return { port, redis, server }
}
