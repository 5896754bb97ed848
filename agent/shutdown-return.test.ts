import { describe, expect, it, vi } from 'vitest'
import { recordedPower } from '../test/support/recorded-power.ts'
import {
  onDisk,
  order,
  startAgent,
  strike,
  useShutdownJournal,
} from '../test/support/shutdown-rig.ts'

useShutdownJournal()

describe('the agent that comes back', () => {
  it('proves the reboot by another boot id, and says how long it took', async () => {
    const { executionId } = await strike()
    const { executor, reached } = startAgent(recordedPower(), 'boot-2')
    expect(await executor.replay()).toEqual([executionId])
    const update = await reached('Successful')
    expect(update).toMatchObject({
      executionId,
      reason: 'completed',
      measured: { metric: 'shutdown', value: 1, unit: 'times', detail: { away_seconds: 0 } },
    })
    expect(update.message).toMatch(/away for about 0 s.*boot-1 before, boot-2 after/)
    expect(onDisk(executionId).state).toBe('DONE')
  })

  it('says that the host did not go down when the boot id is the same', async () => {
    await strike()
    const { executor, reached } = startAgent(recordedPower(), 'boot-1')
    await executor.replay()
    expect(await reached('Failed')).toMatchObject({
      reason: 'fault_died',
      message: 'The host did not go down: it still runs with the boot id boot-1.',
    })
  })

  it.each([
    ['init is still stopping everything', recordedPower({ isGoingDown: true })],
    ['it is too early to tell', recordedPower({ patienceMs: 60_000 })],
  ])('says nothing yet while %s', async (_, power) => {
    const { executionId } = await strike()
    const { executor, updates } = startAgent(power, 'boot-1')
    expect(await executor.replay()).toEqual([])
    expect(updates).toEqual([])
    expect(onDisk(executionId).state).toBe('STRIKING')
  })

  it('looks at all that it does not know yet together, each five seconds', async () => {
    const ids = [await strike(), await strike()].map(({ executionId }) => executionId)
    const power = recordedPower()
    let looks = 0
    let isGoingDown = true
    const { executor, reached, journal } = startAgent(
      { ...power, isGoingDown: () => Promise.resolve(((looks += 1), isGoingDown)) },
      'boot-1',
    )
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await executor.replay()
      expect(looks).toBe(2)
      for (let round = 2; round <= 5; round += 1) {
        await vi.advanceTimersByTimeAsync(5000)
        expect(looks).toBe(2 * round)
      }
      isGoingDown = false
      await vi.advanceTimersByTimeAsync(5000)
      await reached('Failed')
      expect(ids.map((id) => journal.get(id)?.state)).toEqual(['DONE', 'DONE'])
      await vi.advanceTimersByTimeAsync(60_000)
      expect(looks).toBe(12)
    } finally {
      vi.useRealTimers()
    }
  })

  it('leaves what ends by itself meanwhile as it ended', async () => {
    const earlier = await strike()
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<boolean>()
    const isGoingDown = () => {
      asked.resolve()
      return answer.promise
    }
    const power = { ...recordedPower(), isGoingDown }
    const { executor, journal, reached } = startAgent(power, 'boot-1')
    const later = order({ delayMinutes: 1 })
    await executor.run(later)
    await reached('Running')
    const replayed = executor.replay()
    await asked.promise
    executor.halt(later.executionId, 1, '')
    await executor.ended(later.executionId)
    answer.resolve(false)
    expect(await replayed).toEqual([earlier.executionId])
    expect(journal.get(later.executionId)?.report?.reason).toBe('halted')
  })

  it('never does it again, however often the order comes', async () => {
    const asked = await strike()
    const power = recordedPower()
    const { executor, reached } = startAgent(power, 'boot-2')
    await executor.run(asked)
    await executor.replay()
    await reached('Successful')
    await executor.run(asked)
    executor.acknowledge(asked.executionId, 1_000_000_000)
    await executor.run(asked)
    expect(power.asked).toEqual([])
  })
})
