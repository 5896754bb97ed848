import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Executor } from '../../agent/executor.ts'
import type { ExecutionUpdate } from '../../agent/execution-update.ts'
import { DockerEngine } from '../../agent/containers/docker.ts'
import { createFaults } from '../../agent/faults/index.ts'
import { bootId, findByArgument, type ProcessIdentity } from '../../agent/host/processes.ts'
import { Journal, type Report } from '../../agent/journal.ts'
import { noLimits, type OwnerLimits } from '../../agent/owner-limits.ts'
import { recordedPower } from '../support/recorded-power.ts'

/** An executor with a journal of its own, as the agent has it, and what it reports. */
export interface ExecutorRig extends AsyncDisposable {
  readonly executor: Executor
  readonly journal: Journal
  readonly stateDir: string
  readonly updates: ExecutionUpdate[]
  /** Starts a cpu attack. @returns its execution id */
  attack(params: Partial<CpuParams>, container?: { id: string; name: string }): Promise<string>
  /** Resolves at the first update of this execution that the test accepts. */
  reached(executionId: string, accepts: (update: ExecutionUpdate) => boolean): Promise<void>
  running(executionId: string): Promise<void>
  ended(executionId: string): Promise<Report>
  burners(executionId: string): ProcessIdentity[]
}

export interface CpuParams {
  lengthSeconds: number
  cores: number
  allCores: boolean
  percent: number
}

/** Builds a rig; `stateDir` may be one that an earlier executor left. */
export async function executorRig(
  options: { limits?: Partial<OwnerLimits>; stateDir?: string; instanceId?: string } = {},
): Promise<ExecutorRig> {
  const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), 'temblor-executor-'))
  const journal = new Journal(stateDir)
  const engine = new DockerEngine('/var/run/docker.sock')
  await engine.open()
  const updates: ExecutionUpdate[] = []
  const waiting = new Set<() => void>()
  const instanceId = options.instanceId ?? randomUUID()
  const executor = new Executor({
    journal,
    faults: createFaults({ power: recordedPower(), containers: engine }),
    containers: engine,
    limits: { ...noLimits, ...options.limits },
    instanceId,
    bootId: bootId(),
    controlPlane: () => Promise.resolve([]),
    onUpdate(update) {
      updates.push(update)
      for (const check of waiting) check()
    },
  })
  const reached: ExecutorRig['reached'] = (executionId, accepts) =>
    new Promise((resolve) => {
      const check = () => {
        if (!updates.some((one) => one.executionId === executionId && accepts(one))) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  return {
    executor,
    journal,
    stateDir,
    updates,
    reached,
    async attack(params, container) {
      const executionId = randomUUID()
      const defaults = { lengthSeconds: 60, cores: 1, allCores: false, percent: 100 }
      await executor.run({
        executionId,
        generation: 1,
        attackId: randomUUID(),
        attackType: 'cpu',
        params: { ...defaults, ...params },
        local: true,
        ...(container ? { container: { id: container.id, name: container.name } } : {}),
      })
      return executionId
    },
    running: (executionId) => reached(executionId, ({ stage }) => stage === 'Running'),
    ended: async (executionId) => (await executor.ended(executionId)) as Report,
    burners: (executionId) => findByArgument(`temblor:${instanceId}:${executionId}`),
    async [Symbol.asyncDispose]() {
      await executor.close('The test is over.')
      engine.close()
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

/** Bytes of memory that are charged to a container. */
export function memoryOf(containerId: string): number {
  const paths = [
    `/sys/fs/cgroup/memory/docker/${containerId}/memory.usage_in_bytes`,
    `/sys/fs/cgroup/docker/${containerId}/memory.current`,
    `/sys/fs/cgroup/system.slice/docker-${containerId}.scope/memory.current`,
  ]
  for (const path of paths) {
    try {
      return Number(readFileSync(path, 'utf8'))
    } catch {
      // Another layout.
    }
  }
  throw new Error(`No memory control group for ${containerId}.`)
}
