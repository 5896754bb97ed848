import { describe, expect, it, vi } from 'vitest'
import { idleFault } from '../test/support/idle-fault.ts'
import { recordedPower } from '../test/support/recorded-power.ts'
import { onDisk, order, startAgent, useShutdownJournal } from '../test/support/shutdown-rig.ts'
import type { UndoRecord } from './faults/fault.ts'

useShutdownJournal()

/** A fault with two things to take back, of which the second cannot be while something is in the way. */
function stubbornFault() {
  const undo = [{ first: 1 }, { second: 1 }]
  const takenBack: UndoRecord[] = []
  const state = { isInTheWay: true }
  const cpu: typeof idleFault = {
    ...idleFault,
    prepare: async (...args) => ({ ...(await idleFault.prepare(...args)), undo }),
    async undo(record) {
      if (state.isInTheWay && 'second' in record) throw new Error('It is in use.')
      takenBack.push(record)
    },
  }
  return { cpu, takenBack, state }
}

const cpuOrder = () => ({
  ...order(),
  attackType: 'cpu',
  params: { lengthSeconds: 60, cores: 1, allCores: false, percent: 5 },
})

async function leaveBehind() {
  const fault = stubbornFault()
  const agent = startAgent(recordedPower(), 'boot-1', {}, fault)
  const asked = cpuOrder()
  await agent.executor.run(asked)
  await agent.reached('Running')
  agent.executor.halt(asked.executionId, 2, asked.attackId)
  const update = await agent.reached('TeardownFailed')
  agent.executor.acknowledge(asked.executionId, update.seq)
  return { ...fault, ...agent, ...asked, update }
}

describe('what cannot be taken back at the end', () => {
  it('keeps nothing else from being taken back, and is said', async () => {
    const { update, takenBack } = await leaveBehind()
    expect(update.message).toBe('Something is left behind: It is in use. Halted.')
    expect(takenBack).toEqual([{ first: 1 }])
  })

  it('is taken back as soon as that can be, without being asked for', async () => {
    const { state, executionId } = await leaveBehind()
    state.isInTheWay = false
    await vi.waitFor(() => expect(onDisk(executionId).undo).toEqual([]), 10_000)
    expect(onDisk(executionId)).toMatchObject({ report: { reason: 'left_behind' } })
  })

  it('is taken back by the next process, and by none after it', async () => {
    const { state, executionId, executor, takenBack, cpu } = await leaveBehind()
    await executor.close('It ends.')
    const second = startAgent(recordedPower(), 'boot-1', {}, { cpu })
    expect(await second.executor.replay()).toEqual([executionId])
    expect(onDisk(executionId).undo).toHaveLength(2)
    state.isInTheWay = false
    expect(await second.executor.replay()).toEqual([executionId])
    expect(takenBack.at(-2)).toEqual({ second: 1 })
    expect(await second.executor.replay()).toEqual([])
  })
})
