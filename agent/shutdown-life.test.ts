import { describe, expect, it } from 'vitest'
import { attackTypes } from '../shared/attacks/index.ts'
import { recordedPower, type RecordedPower } from '../test/support/recorded-power.ts'
import {
  onDisk,
  order,
  startAgent,
  strike,
  useShutdownJournal,
} from '../test/support/shutdown-rig.ts'
import type { Executor } from './executor.ts'
import type { JournalEntry } from './journal.ts'
import { noLimits, refusalByOwner, type OwnerLimits } from './owner-limits.ts'

useShutdownJournal()

describe('a host that is to go down', () => {
  it.each([
    [true, 'reboot'],
    [false, 'poweroff'],
  ])(
    'is announced, is in the journal and is reported before it does (-r %s)',
    async (reboot, change) => {
      const asked = order({ reboot })
      let seen: JournalEntry | undefined
      const power = recordedPower({ onGoDown: () => (seen = onDisk(asked.executionId)) })
      const { executor, reached, stages } = startAgent(power)
      await executor.run(asked)
      const running = await reached('Running')
      expect(running.message).toMatch(/The host (reboots|powers off) in 0 s, at 20.*unless/)
      const last = await reached('TearingDown')
      executor.acknowledge(asked.executionId, last.seq)
      expect(await power.wentDown).toBe(change)
      expect(power.asked).toEqual([expect.stringContaining(`announce Temblor attack`), change])
      expect(seen).toMatchObject({ state: 'STRIKING', bootId: 'boot-1' })
      expect(stages()).toEqual(['Initializing', 'Running', 'TearingDown'])
    },
  )

  it('waits for the controller to have heard of it, but not for long', async () => {
    const power = recordedPower()
    const { executor } = startAgent(power)
    // From before it is asked: whoever waits may be awake after the wait has begun.
    const from = performance.now()
    await executor.run(order())
    await power.wentDown
    expect(performance.now() - from).toBeGreaterThan(1500)
    expect(performance.now() - from).toBeLessThan(4000)
  })

  it('stays open when init stops the agent, and is over for whoever waits for it', async () => {
    const { executionId } = await strike()
    expect(onDisk(executionId)).toMatchObject({ state: 'STRIKING' })
    expect(onDisk(executionId).report).toBeUndefined()
  })

  it('is reported when it did not go down in spite of everything', async () => {
    const survived = Promise.resolve('The host did not go down.')
    const { executor, reached } = startAgent(recordedPower({ survived }))
    const asked = order()
    await executor.run(asked)
    executor.acknowledge(asked.executionId, (await reached('TearingDown')).seq)
    expect(await reached('Failed')).toMatchObject({
      reason: 'fault_died',
      message: 'The host did not go down.',
    })
  })
})

describe('until then it is prevented, and stays prevented,', () => {
  it.each<[string, (executor: Executor, id: string) => unknown, string]>([
    ['a halt', (executor, id) => executor.halt(id, 2, ''), 'halted'],
    ['the end of the agent', (executor) => executor.close('Stopped.'), 'agent_stopped'],
    [
      'the loss of the controller',
      (executor) => executor.endAll('controller_lost', 'Lost.'),
      'controller_lost',
    ],
  ])('by %s', async (_, end, reason) => {
    const power = recordedPower()
    const { executor, journal, reached } = startAgent(power)
    const asked = order({ delayMinutes: 1 })
    await executor.run(asked)
    await reached('Running')
    await end(executor, asked.executionId)
    const report = await executor.ended(asked.executionId)
    expect(report?.reason).toBe(reason)
    expect(power.asked.filter((one) => !one.startsWith('announce'))).toEqual([])
    expect(power.asked.at(-1)).toContain('the host stays up')
    await executor.run(asked)
    expect(journal.get(asked.executionId)?.state).toBe('DONE')
  })

  it('even in the moment in which the controller is told', async () => {
    const power = recordedPower()
    const { executor, reached } = startAgent(power)
    const asked = order()
    await executor.run(asked)
    await reached('TearingDown')
    executor.halt(asked.executionId, 2, '')
    expect(await executor.ended(asked.executionId)).toMatchObject({ reason: 'halted' })
    expect(power.asked).not.toContain('reboot')
  })

  it('by a restart of the agent or of the host during the delay', async () => {
    const asked = order({ delayMinutes: 1 })
    const first = startAgent(recordedPower())
    await first.executor.run(asked)
    await first.reached('Running')
    const power = recordedPower()
    const second = startAgent(power, 'boot-2')
    await second.executor.replay()
    expect(await second.reached('ClientAborted')).toMatchObject({ reason: 'agent_restarted' })
    await second.executor.run(asked)
    expect(power.asked).toEqual([])
  })
})

/** What the host is asked to do, or with what the agent refuses. */
async function outcome(
  params: object,
  setUp: { power?: RecordedPower; controller?: string; limits?: Partial<OwnerLimits> } = {},
): Promise<string | unknown[]> {
  const power = setUp.power ?? recordedPower()
  const { executor, updates } = startAgent(power, 'boot-1', setUp.limits)
  if (setUp.controller) executor.meetController(setUp.controller)
  const asked = order(params)
  await executor.run(asked)
  const report = await Promise.race([executor.ended(asked.executionId), power.wentDown])
  return typeof report === 'string' ? report : [report?.reason, report?.message, updates.length]
}

describe('an agent refuses', () => {
  it('the host of its controller, unless it is asked for', async () => {
    const refused = await outcome({}, { controller: 'boot-1' })
    expect(refused).toEqual(['controller_host', expect.stringContaining('--allow-con'), 2])
    const allowed = { allowControllerHost: true }
    expect(await outcome(allowed, { controller: 'boot-1' })).toBe('reboot')
    expect(await outcome({}, { controller: 'boot-9' })).toBe('reboot')
  })

  it('to crash a host', async () => {
    const [reason, message] = await outcome({ reboot: false, crash: true })
    expect([reason, message]).toEqual(['invalid_argument', expect.stringContaining('--crash')])
  })

  it('what its owner forbids, containers included', async () => {
    const limits = { shutdownForbidden: true }
    const [reason, message] = await outcome({}, { limits })
    expect([reason, message]).toEqual([
      'forbidden_by_owner',
      expect.stringContaining('TEMBLOR_FORBID_SHUTDOWN'),
    ])
    const container = { name: 'web', protected: false }
    const asked = { params: { delayMinutes: 0 }, container, containersAtOnce: 1 }
    const forbidden = { ...noLimits, ...limits }
    const type = attackTypes.shutdown as never
    expect(refusalByOwner(forbidden, { ...asked, type })).toContain('TEMBLOR_FORBID_SHUTDOWN')
    expect(refusalByOwner(noLimits, { ...asked, type })).toBeUndefined()
    const cpu = { ...asked, type: attackTypes.cpu as never, params: { lengthSeconds: 1 } }
    expect(refusalByOwner(forbidden, cpu)).toBeUndefined()
  })

  it('what it cannot do', async () => {
    const power = recordedPower({ problem: 'not root' })
    const [reason, message] = await outcome({}, { power })
    expect([reason, message]).toEqual(['unsupported', 'This host cannot do it: not root.'])
  })
})
