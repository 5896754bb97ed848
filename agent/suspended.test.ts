import { describe, expect, it } from 'vitest'
import { recordedPower, type RecordedPower } from '../test/support/recorded-power.ts'
import { onDisk, order, startAgent, useShutdownJournal } from '../test/support/shutdown-rig.ts'
import { elapse } from '../test/support/until.ts'
import { sinceBootMs } from './host/sleep-watch.ts'

useShutdownJournal()

/** An agent on a machine of which one clock goes on when the others stand still. */
function startOnLaptop(power: RecordedPower = recordedPower()) {
  let sleptMs = 0
  const clock = { sinceBootMs: () => sinceBootMs() + sleptMs }
  const agent = startAgent(power, 'boot-1', {}, clock)
  return { ...agent, power, suspend: (seconds: number) => void (sleptMs += seconds * 1000) }
}

const load = () => ({
  ...order(),
  attackType: 'cpu',
  params: { lengthSeconds: 600, cores: 1, allCores: false, percent: 5 },
})

describe('a machine that was suspended', () => {
  it('is not taken down hours late', async () => {
    const { executor, reached, power, suspend } = startOnLaptop()
    const asked = order({ delayMinutes: 5 })
    await executor.run(asked)
    await reached('Running')
    suspend(3 * 3600)
    expect(await reached('ClientAborted')).toMatchObject({
      reason: 'agent_frozen',
      message: 'The machine was suspended for 10800 s, so the attack was ended.',
    })
    await executor.run(asked)
    expect(onDisk(asked.executionId)).toMatchObject({ state: 'DONE' })
    expect(power.asked).toEqual([
      expect.stringContaining('The host reboots in 300 s'),
      expect.stringContaining('the host stays up'),
    ])
  })

  it('is not taken down when it was so in the last moment', async () => {
    const { executor, reached, power, suspend } = startOnLaptop()
    const asked = order()
    await executor.run(asked)
    const { seq } = await reached('TearingDown')
    suspend(10)
    executor.acknowledge(asked.executionId, seq)
    expect(await executor.ended(asked.executionId)).toMatchObject({ reason: 'agent_frozen' })
    expect(power.asked).not.toContain('reboot')
  })

  it('is taken down when it was so before it was asked to, or hardly at all', async () => {
    const { executor, reached, power, suspend } = startOnLaptop()
    suspend(3600)
    const asked = order()
    await executor.run(asked)
    const { seq } = await reached('TearingDown')
    suspend(1)
    executor.acknowledge(asked.executionId, seq)
    expect(await power.wentDown).toBe('reboot')
  })

  it('is rid of what ran, and keeps what began after it', async () => {
    const { executor, reached, suspend } = startOnLaptop()
    const [before, after] = [load(), load()]
    await executor.run(before)
    await reached('Running')
    suspend(60)
    await executor.run(after)
    const at = performance.now()
    expect(await executor.ended(before.executionId)).toMatchObject({ reason: 'agent_frozen' })
    expect(performance.now() - at).toBeLessThan(5000)
    await elapse(1200)
    expect(executor.running).toEqual([after])
  })
})
