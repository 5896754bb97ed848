import type { TestProject } from 'vitest/node'
import { startTestCluster, type TestCluster } from './redis-cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    clusterUrl: string
  }
}

/** None of its nodes ever goes: one that is silent for some seconds is on a busy machine. */
const aliveWithinMs = '30000'

let cluster: TestCluster | undefined

/** One Cluster for all files of the project; each empties it when it begins. */
export async function setup(project: TestProject): Promise<void> {
  cluster = await startTestCluster()
  for (const { redis } of cluster.nodes)
    await redis.config('SET', 'cluster-node-timeout', aliveWithinMs)
  project.provide('clusterUrl', cluster.url)
}

export async function teardown(): Promise<void> {
  await cluster?.[Symbol.asyncDispose]()
}
