import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Docker from 'dockerode'
import { GenericContainer } from 'testcontainers'
import { beforeEach } from 'vitest'
import type { Api } from './api.ts'
import { temporaryDir } from './service.ts'
import { apiPollMs, until } from './until.ts'

/** A static busybox and nothing else. */
export const targetImage = 'temblor-test/target:1'

/** 64 MiB: little enough to notice memory that is charged to a target. */
const memoryGiB = 1 / 16

export const docker = new Docker()

/** Why tests with containers cannot run here, or undefined when they can. */
export const dockerSkipReason = await findSkipReason()

/** Skips the tests of this describe block, with the reason, where containers cannot run. */
export function needsDocker(): void {
  beforeEach(({ skip }) => {
    skip(dockerSkipReason !== undefined, dockerSkipReason)
  })
}

/** A running container that does nothing. */
export interface TargetContainer {
  readonly id: string
  readonly name: string
  readonly container: Docker.Container
  readonly labels: Record<string, string>
  /** CPU time that its control group has used, in seconds. */
  readonly cpuSeconds: () => number
  /** Memory that is charged to its control group. */
  readonly memoryBytes: () => number
  /** Pids in its control group. */
  readonly pids: () => number[]
}

export interface TargetContainers {
  /** On every container of this set, so that tests never hit another test's containers. */
  readonly run: string
  start(labels: Record<string, string>, cores?: number): Promise<TargetContainer>
  [Symbol.asyncDispose](): Promise<void>
}

/** Containers of one test file; all of them are removed at the end. */
export async function targetContainers(): Promise<TargetContainers> {
  await makeImage()
  const run = randomUUID().slice(0, 8)
  const started: Docker.Container[] = []
  let begun = 0
  return {
    run,
    async start(labels, cores = 0.5) {
      const all = { ...labels, 'temblor.test': run }
      const name = `temblor-test-${run}-${begun}`
      begun += 1
      const running = await new GenericContainer(targetImage)
        .withName(name)
        .withCommand(['/bin/sleep', '3600'])
        .withLabels(all)
        .withNetworkMode('none')
        .withResourcesQuota({ cpu: cores, memory: memoryGiB })
        .start()
      const container = docker.getContainer(running.getId())
      started.push(container)
      const { Id, Name } = await container.inspect()
      return {
        id: Id,
        name: Name.slice(1),
        container,
        labels: all,
        cpuSeconds: () => cpuSecondsOf(Id),
        memoryBytes: () => memoryBytesOf(Id),
        pids: () => pidsOf(Id),
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((one) => one.remove({ force: true }).catch(() => {})))
    },
  }
}

async function findSkipReason(): Promise<string | undefined> {
  if (process.env.TEMBLOR_SKIP_DOCKER_REASON) return process.env.TEMBLOR_SKIP_DOCKER_REASON
  if (process.getuid?.() !== 0) return 'not root'
  try {
    await docker.ping()
    return undefined
  } catch (error) {
    return `no Docker Engine answers: ${String(error)}`
  }
}

/** Makes the image of a static busybox, if an engine has it not: no registry is needed. */
export async function makeImage(engine: Docker = docker): Promise<void> {
  const known = await engine.listImages({ filters: { reference: [targetImage] } })
  if (known.length > 0) return
  const dir = temporaryDir()
  // It becomes the root of the image, which is not root's alone.
  chmodSync(dir, 0o755)
  mkdirSync(join(dir, 'bin'))
  copyFileSync('/bin/busybox', join(dir, 'bin/busybox'))
  chmodSync(join(dir, 'bin/busybox'), 0o755)
  for (const name of ['sh', 'sleep']) symlinkSync('busybox', join(dir, 'bin', name))
  const file = `${dir}.tar`
  execFileSync('tar', ['-C', dir, '-cf', file, '.'])
  const [repo, tag] = targetImage.split(':')
  const stream = await engine.importImage(file, { repo, tag })
  await text(stream)
  rmSync(dir, { recursive: true })
  rmSync(file)
}

/** The folder of a container's control group, version 1 or 2. */
function cgroupDir(id: string, controller: string): string {
  const found = [
    `/sys/fs/cgroup/${controller}/docker/${id}`,
    `/sys/fs/cgroup/${controller}/system.slice/docker-${id}.scope`,
    `/sys/fs/cgroup/docker/${id}`,
    `/sys/fs/cgroup/system.slice/docker-${id}.scope`,
  ].find((dir) => existsSync(dir))
  if (!found) throw new Error(`Container ${id.slice(0, 12)} has no control group.`)
  return found
}

function cpuSecondsOf(id: string): number {
  const dir = cgroupDir(id, 'cpuacct')
  if (existsSync(join(dir, 'cpuacct.usage')))
    return Number(readFileSync(join(dir, 'cpuacct.usage'), 'utf8')) / 1e9
  const usage = /usage_usec (\d+)/.exec(readFileSync(join(dir, 'cpu.stat'), 'utf8'))
  return Number(usage?.[1]) / 1e6
}

function memoryBytesOf(id: string): number {
  const dir = cgroupDir(id, 'memory')
  const file = ['memory.usage_in_bytes', 'memory.current'].find((one) => existsSync(join(dir, one)))
  return Number(readFileSync(join(dir, file ?? 'memory.current'), 'utf8'))
}

function pidsOf(id: string): number[] {
  return readFileSync(join(cgroupDir(id, 'cpu'), 'cgroup.procs'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(Number)
}

/** Waits until the controller has heard of these containers. */
export async function untilKnown(api: Api, wanted: readonly TargetContainer[]): Promise<void> {
  await until(
    'the controller knows the containers',
    async () => {
      const known = new Set((await api.containers()).map((one) => one.identifier))
      return wanted.every((one) => known.has(one.id))
    },
    15_000,
    apiPollMs,
  )
}
