import type { TestProject } from 'vitest/node'
import { startTestCluster, type TestCluster } from './redis-cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    clusterUrl: string
  }
}

let cluster: TestCluster | undefined

/** One Cluster for all files of the project; each empties it when it begins. */
export async function setup(project: TestProject): Promise<void> {
  cluster = await startTestCluster()
  project.provide('clusterUrl', cluster.url)
}

export async function teardown(): Promise<void> {
  await cluster?.[Symbol.asyncDispose]()
}
