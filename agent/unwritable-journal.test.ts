import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordedPower, type RecordedPower } from '../test/support/recorded-power.ts'
import type { ContainerControl } from './containers/source.ts'
import type { ExecutionUpdate, RunOrder } from './execution-update.ts'
import { Executor } from './executor.ts'
import type { Fault, FaultDeath } from './faults/fault.ts'
import { createFaults } from './faults/index.ts'
import { Journal, type JournalEntry } from './journal.ts'
import { noLimits } from './owner-limits.ts'

let stateDir: string
let close: (() => Promise<void>)[]
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'temblor-unwritable-'))
  close = []
})
afterEach(async () => {
  await Promise.all(close.map((one) => one()))
  rmSync(stateDir, { recursive: true })
})

/** Nothing can be written into the journal from here on, whoever tries it. */
const breakJournal = () => renameSync(join(stateDir, 'journal'), join(stateDir, 'aside'))
const mendJournal = () => renameSync(join(stateDir, 'aside'), join(stateDir, 'journal'))
const onDisk = (executionId: string, folder = 'journal') =>
  JSON.parse(readFileSync(join(stateDir, folder, `${executionId}.json`), 'utf8')) as JournalEntry

/** A fault that says what is done to it. */
function recordedFault(onStart: () => void = () => undefined): { fault: Fault; did: string[] } {
  const did: string[] = []
  const effect = { metric: 'cpu', value: 5, unit: 'percent_of_capacity', detail: {} }
  const handle = {
    measure: () => undefined,
    stop: () => Promise.resolve(void did.push('stop')),
    died: new Promise<FaultDeath>(() => undefined),
  }
  const start = () => {
    did.push('start')
    onStart()
    return Promise.resolve(handle)
  }
  const fault: Fault = {
    probe: () => Promise.resolve({ ok: true }),
    prepare: () =>
      Promise.resolve({ requested: effect, backend: 'none', undo: [{ mark: 'm' }], start }),
    undo: ({ mark }) => Promise.resolve(void did.push(`undo ${mark}`)),
  }
  return { fault, did }
}

/** An agent's process on this journal. */
function startAgent(
  cpu: Fault,
  power: RecordedPower = recordedPower(),
  onUpdate: (update: ExecutionUpdate) => void = () => undefined,
) {
  const problems: (string | undefined)[] = []
  const journal = new Journal(stateDir, { onProblem: (problem) => problems.push(problem) })
  const updates: ExecutionUpdate[] = []
  const containers = {} as ContainerControl
  const executor = new Executor({
    journal,
    faults: { ...createFaults({ power, containers }), cpu },
    containers,
    limits: noLimits,
    instanceId: 'instance',
    bootId: 'boot',
    controlPlane: () => Promise.resolve([]),
    onUpdate(update) {
      updates.push(update)
      onUpdate(update)
    },
  })
  close.push(async () => {
    await executor.close('The test is over.')
    journal.close()
  })
  const stages = (executionId: string) =>
    updates.filter((update) => update.executionId === executionId).map(({ stage }) => stage)
  return { executor, journal, problems, updates, stages }
}

function order(attackType: string, params: object): RunOrder {
  const ids = { executionId: randomUUID(), generation: 1, attackId: randomUUID() }
  return { ...ids, attackType, params, local: false }
}

const load = (lengthSeconds: number) =>
  order('cpu', { lengthSeconds, cores: 1, allCores: false, percent: 5 })

describe('while the journal cannot be written', () => {
  it('what runs is taken back and reported at its end, and written when that can be', async () => {
    const { fault, did } = recordedFault(breakJournal)
    const { executor, journal, problems, stages } = startAgent(fault)
    const asked = load(1)
    await executor.run(asked)
    const report = await executor.ended(asked.executionId)
    expect(report).toMatchObject({ reason: 'completed' })
    expect(did).toEqual(['start', 'stop', 'undo m'])
    expect(stages(asked.executionId).at(-1)).toBe('Successful')
    executor.acknowledge(asked.executionId, report?.seq ?? 0)
    expect(onDisk(asked.executionId, 'aside')).toMatchObject({ state: 'APPLYING' })
    mendJournal()
    const disk = () => onDisk(asked.executionId)
    await expect.poll(disk, { timeout: 5000 }).toMatchObject({ state: 'DONE', acknowledged: true })
    expect(disk()).toEqual(journal.get(asked.executionId))
    const why = 'The journal cannot be written: no such file or directory.'
    expect(problems).toEqual([why, undefined])
  })

  it('nothing is begun, and the others go on', async () => {
    const { fault, did } = recordedFault()
    const { executor, journal, updates, stages } = startAgent(fault)
    const [running, refused] = [load(600), load(600)]
    await executor.run(running)
    await expect.poll(() => stages(running.executionId)).toContain('Running')
    breakJournal()
    await executor.run(refused)
    expect(updates.at(-1)).toMatchObject({
      executionId: refused.executionId,
      reason: 'start_failed',
      stage: 'InitializationFailed',
      message: 'It was not begun. The journal cannot be written: no such file or directory.',
    })
    expect(journal.get(refused.executionId)).toMatchObject({ state: 'DONE' })
    expect(() => onDisk(refused.executionId, 'aside')).toThrow('ENOENT')
    expect(did).toEqual(['start'])
    expect(executor.running).toEqual([running])
    mendJournal()
    const next = load(600)
    await executor.run(next)
    expect(onDisk(refused.executionId)).toEqual(journal.get(refused.executionId))
    expect(onDisk(next.executionId)).toMatchObject({ executionId: next.executionId })
    await expect.poll(() => stages(next.executionId)).toContain('Running')
    await executor.run(refused)
    expect(executor.running).toEqual([running, next])
  })

  it('what an earlier process left is taken back', async () => {
    const asked = load(600)
    const first = startAgent(recordedFault().fault)
    await first.executor.run(asked)
    await expect.poll(() => first.stages(asked.executionId)).toContain('Running')
    const { fault, did } = recordedFault()
    const second = startAgent(fault)
    breakJournal()
    expect(await second.executor.replay()).toEqual([asked.executionId])
    expect(did).toEqual(['undo m'])
    expect(second.updates).toMatchObject([{ reason: 'agent_restarted' }])
    await first.executor.close('The test is over.')
    mendJournal()
  })

  it('a host is not taken down: nothing would keep the next process from doing it again', async () => {
    const power = recordedPower()
    const { executor, stages } = startAgent(recordedFault().fault, power, ({ stage }) => {
      // Between the announcement and the deed.
      if (stage === 'Running') breakJournal()
    })
    const params = { delayMinutes: 0, reboot: true, crash: false, allowControllerHost: false }
    const asked = order('shutdown', params)
    await executor.run(asked)
    expect(await executor.ended(asked.executionId)).toMatchObject({ reason: 'start_failed' })
    expect(stages(asked.executionId)).toEqual(['Initializing', 'Running', 'InitializationFailed'])
    expect(power.asked).toEqual([
      expect.stringContaining('The host reboots in 0 s'),
      expect.stringContaining('the host stays up'),
    ])
    mendJournal()
  })
})
