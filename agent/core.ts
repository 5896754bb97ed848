import type { AgentConfig } from './config.ts'
import { findControlPlane } from './control-plane.ts'
import { DockerEngine } from './containers/docker.ts'
import type { ExecutionUpdate } from './execution-update.ts'
import { Executor } from './executor.ts'
import { createFaults } from './faults/index.ts'
import { createHostPower } from './faults/shutdown-power.ts'
import { makePrivateFolder } from './host/durable-file.ts'
import { lockFolder } from './host/lock.ts'
import { bootId } from './host/processes.ts'
import { readInstanceId } from './identity.ts'
import { probeHost, type Probes } from './inventory.ts'
import { Journal } from './journal.ts'

/** What carries out attacks on this host, with or without a controller. */
export interface AgentCore {
  readonly config: AgentConfig
  readonly instanceId: string
  readonly bootId: string
  readonly journal: Journal
  readonly engine: DockerEngine
  readonly executor: Executor
  /** What this host can do, as it was found at the start. */
  readonly probes: Probes
  /** Executions of an earlier process that were taken back at the start. */
  readonly recovered: readonly string[]
  /** Ends and reverts everything, and lets another process have the state folder. */
  close(message: string): Promise<void>
}

/**
 * Takes the state folder and takes back whatever an earlier process left.
 * @throws LockedError when another process has the folder
 */
export async function openCore(
  config: AgentConfig,
  listeners: {
    onUpdate: (update: ExecutionUpdate) => void
    /** The list of containers has changed. */
    onContainers?: () => void
    /** Why the journal cannot be written; undefined when it can be again. */
    onJournal?: (problem: string | undefined) => void
  },
): Promise<AgentCore> {
  makePrivateFolder(config.stateDir)
  const lock = lockFolder(config.stateDir)
  const instanceId = readInstanceId(config.stateDir)
  const journal = new Journal(config.stateDir, { onProblem: listeners.onJournal })
  const engine = new DockerEngine(config.dockerSocket, listeners.onContainers)
  const power = createHostPower(config.stateDir)
  const faults = createFaults({ power, containers: engine })
  const executor = new Executor({
    journal,
    faults,
    containers: engine,
    limits: config.limits,
    instanceId,
    bootId: bootId(),
    controlPlane: () => findControlPlane(config.stateDir),
    onUpdate: listeners.onUpdate,
  })
  const recovered = await executor.replay()
  const [probes] = await Promise.all([probeHost(faults), engine.open()])
  return {
    config,
    instanceId,
    bootId: bootId(),
    journal,
    engine,
    executor,
    probes,
    recovered,
    async close(message) {
      await executor.close(message)
      engine.close()
      journal.close()
      lock.release()
    },
  }
}
