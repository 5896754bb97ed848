import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { ContainerControl } from '../../agent/containers/source.ts'
import type { ExecutionUpdate, RunOrder } from '../../agent/execution-update.ts'
import { Executor } from '../../agent/executor.ts'
import type { Fault } from '../../agent/faults/fault.ts'
import { createFaults } from '../../agent/faults/index.ts'
import { Journal, type JournalEntry } from '../../agent/journal.ts'
import { noLimits, type OwnerLimits } from '../../agent/owner-limits.ts'
import { idleFault } from './idle-fault.ts'
import { recordedPower, type RecordedPower } from './recorded-power.ts'

let stateDir: string
let open: Executor[]

/** Gives each test of a file a journal of its own, and ends the agents that it started. */
export function useShutdownJournal(): void {
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'temblor-shutdown-'))
    open = []
  })
  afterEach(async () => {
    await Promise.all(open.map((executor) => executor.close('The test is over.')))
    rmSync(stateDir, { recursive: true })
  })
}

/** An agent's process on this journal; a second one is the same agent, started again. */
export function startAgent(
  power: RecordedPower,
  bootId = 'boot-1',
  limits: Partial<OwnerLimits> = {},
  { cpu = idleFault, ...clock }: { sinceBootMs?: () => number; cpu?: Fault } = {},
) {
  const journal = new Journal(stateDir)
  const updates: ExecutionUpdate[] = []
  const containers = {} as ContainerControl
  const listeners = new Set<() => void>()
  const executor = new Executor({
    journal,
    faults: { ...createFaults({ power, containers }), cpu },
    containers,
    limits: { ...noLimits, ...limits },
    instanceId: 'instance',
    bootId,
    ...clock,
    controlPlane: () => Promise.resolve([]),
    onUpdate(update) {
      updates.push(update)
      for (const listener of listeners) listener()
    },
  })
  open.push(executor)
  const reached = (stage: ExecutionUpdate['stage']) =>
    new Promise<ExecutionUpdate>((resolve) => {
      const look = () => {
        const found = updates.find((update) => update.stage === stage)
        if (found) resolve(found)
      }
      listeners.add(look)
      look()
    })
  return { executor, journal, updates, reached, stages: () => updates.map(({ stage }) => stage) }
}

export function order(params: object = {}): RunOrder {
  const given = { delayMinutes: 0, reboot: true, crash: false, allowControllerHost: false }
  return {
    executionId: randomUUID(),
    generation: 1,
    attackId: randomUUID(),
    attackType: 'shutdown',
    params: { ...given, ...params },
    local: false,
  }
}

export function onDisk(executionId: string): JournalEntry {
  const file = join(stateDir, 'journal', `${executionId}.json`)
  return JSON.parse(readFileSync(file, 'utf8')) as JournalEntry
}

/** An agent that has taken its host down, and was then stopped by init. */
export async function strike(params: object = {}): Promise<RunOrder> {
  const power = recordedPower()
  const { executor, reached } = startAgent(power)
  const asked = order(params)
  await executor.run(asked)
  executor.acknowledge(asked.executionId, (await reached('TearingDown')).seq)
  await executor.ended(asked.executionId)
  await executor.close('The agent was stopped.')
  return asked
}
