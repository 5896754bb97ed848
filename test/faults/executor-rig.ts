import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Executor } from '../../agent/executor.ts'
import type { ExecutionUpdate, RunOrder } from '../../agent/execution-update.ts'
import { DockerEngine } from '../../agent/containers/docker.ts'
import { createFaults } from '../../agent/faults/index.ts'
import { attackTypes, type AttackParams, type AttackTypeName } from '../../shared/attacks/index.ts'
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
  /** Starts an attack; what `params` leaves out is as the type has it. @returns its execution id */
  attack(
    type: AttackTypeName,
    params: AttackParams,
    container?: { id: string; name: string },
    attackId?: string,
  ): Promise<string>
  readonly reached: UpdateLog['reached']
  running(executionId: string): Promise<ExecutionUpdate>
  ended(executionId: string): Promise<Report>
  /** Helper processes of this execution that live. */
  burners(executionId: string): ProcessIdentity[]
}

/** What executors report, kept in order. */
export interface UpdateLog {
  readonly updates: ExecutionUpdate[]
  add(update: ExecutionUpdate): void
  /** Resolves with the first update of this execution that is accepted, if it is there already or not. */
  readonly reached: (
    executionId: string,
    accepts: (update: ExecutionUpdate) => boolean,
  ) => Promise<ExecutionUpdate>
}

export function updateLog(): UpdateLog {
  const updates: ExecutionUpdate[] = []
  const waiting = new Set<() => void>()
  return {
    updates,
    add(update) {
      updates.push(update)
      for (const check of waiting) check()
    },
    reached: (executionId, accepts) =>
      new Promise((resolve) => {
        const check = () => {
          const found = updates.find((one) => one.executionId === executionId && accepts(one))
          if (!found) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      }),
  }
}

/** Where `performance.now()` of this process starts on the clock that all processes of the machine share, ms. */
export function clockStartMs(): number {
  return Number(process.hrtime.bigint()) / 1e6 - performance.now()
}

export const isRunning = ({ stage }: ExecutionUpdate): boolean => stage === 'Running'

/** An order with what the parameters leave out as the attack type has it. */
export function orderFor(
  type: AttackTypeName,
  params: AttackParams,
  container?: { id: string; name: string },
  attackId: string = randomUUID(),
): RunOrder {
  const standard = Object.entries(attackTypes[type].params).map(([name, one]) => [
    name,
    one.default,
  ])
  return {
    executionId: randomUUID(),
    generation: 1,
    attackId,
    attackType: type,
    params: { ...Object.fromEntries(standard), ...params },
    local: true,
    ...(container ? { container: { id: container.id, name: container.name } } : {}),
  }
}

/** Builds a rig; `stateDir` may be one that an earlier executor left. */
export async function executorRig(
  options: {
    limits?: Partial<OwnerLimits>
    stateDir?: string
    instanceId?: string
    /** The socket of another engine than the machine's. */
    engineSocket?: string
    onUpdate?: (update: ExecutionUpdate) => void
  } = {},
): Promise<ExecutorRig> {
  const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), 'temblor-executor-'))
  const journal = new Journal(stateDir)
  const engine = new DockerEngine(options.engineSocket ?? '/var/run/docker.sock')
  await engine.open()
  const log = updateLog()
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
      log.add(update)
      options.onUpdate?.(update)
    },
  })
  return {
    executor,
    journal,
    stateDir,
    updates: log.updates,
    reached: log.reached,
    async attack(type, params, container, attackId) {
      const order = orderFor(type, params, container, attackId)
      await executor.run(order)
      return order.executionId
    },
    running: (executionId) => log.reached(executionId, isRunning),
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
