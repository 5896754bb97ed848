import { describe, expect, it } from 'vitest'
import type { AttackRecord } from '../store/attack-record.ts'
import type { ExecutionRecord } from '../store/executions.ts'
import { lostInMs, orderMessage } from './orders.ts'

const attack = {
  id: 'attack',
  type: 'cpu',
  params: { percent: 50 },
  startByMs: 30_000,
} as unknown as AttackRecord
const execution = { id: 'execution', containerId: 'c1', containerName: 'web' } as ExecutionRecord

describe('orders', () => {
  it('say how much of the time to start is left', () => {
    const order = { executionId: 'execution', generation: 1 }
    const message = orderMessage(order, execution, attack, 10_000, 7)
    expect(message?.run).toMatchObject({
      startWithinMs: 20_000,
      heartbeatSeen: 7,
      paramsJson: '{"percent":50}',
      container: { id: 'c1', name: 'web' },
    })
  })

  it('are not sent when it is too late to start', () => {
    const order = { executionId: 'execution', generation: 1 }
    expect(orderMessage(order, execution, attack, 30_000, 0)).toBeUndefined()
  })

  it('halt from the second generation on, whatever the time', () => {
    const order = { executionId: 'execution', generation: 2 }
    expect(orderMessage(order, execution, attack, 99_000, 0)?.halt).toMatchObject({
      executionId: 'execution',
      generation: 2,
    })
  })
})

describe('when an execution counts as lost', () => {
  it('is its length and a margin after it began to run', () => {
    expect(lostInMs('Running', 60_000, 0)).toBe(75_000)
    expect(lostInMs('Running', 60_000, 20_000)).toBe(55_000)
  })
  it('leaves it time to start before that', () => {
    expect(lostInMs('Distributed', 60_000, 0)).toBe(105_000)
  })
})
