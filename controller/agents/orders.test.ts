import { describe, expect, it } from 'vitest'
import type { AttackRecord } from '../store/attack-record.ts'
import type { ExecutionRecord } from '../store/executions.ts'
import { lostInMs, orderMessage, timesOf, timesOfOrder } from './orders.ts'

const order = (generation: number) => ({
  executionId: 'execution',
  generation,
  containerId: 'c1',
  containerName: 'web',
  attackId: 'attack',
  type: 'cpu',
  paramsJson: '{"percent":50}',
  startByMs: 30_000,
})

const seen = (heartbeatSeen: number) => ({ heartbeatSeen, figuresMs: 5_000 })

describe('orders', () => {
  it('say how much of the time to start is left', () => {
    expect(orderMessage(order(1), 10_000, seen(7))?.run).toMatchObject({
      startWithinMs: 20_000,
      heartbeatSeen: 7,
      figuresMs: 5_000,
      paramsJson: '{"percent":50}',
      container: { id: 'c1', name: 'web' },
    })
  })

  it('are not sent when it is too late to start', () => {
    expect(orderMessage(order(1), 30_000, seen(0))).toBeUndefined()
  })

  it('halt from the second generation on, whatever the time', () => {
    expect(orderMessage(order(2), 99_000, seen(0))?.halt).toMatchObject({
      executionId: 'execution',
      generation: 2,
    })
  })
})

describe('the times of what an order begins', () => {
  const shutdown = {
    ...order(1),
    type: 'shutdown',
    paramsJson: '{"delayMinutes":1,"reboot":true}',
  }

  it('are those of its execution', () => {
    expect(timesOfOrder({ ...shutdown, containerId: '' })).toEqual(shutdownTimes({ reboot: true }))
    expect(timesOfOrder(shutdown)).toEqual(shutdownTimes({ reboot: true }, 'c1'))
  })

  it('are not known for a type of another version', () => {
    expect(timesOfOrder({ ...shutdown, type: 'newer' })).toBeUndefined()
  })
})

const minute = { lengthMs: 60_000, settleMs: undefined }

const shutdownTimes = (params: object, containerId?: string) =>
  timesOf(
    { type: 'shutdown', params, lengthSeconds: 60 } as unknown as AttackRecord,
    { containerId } as ExecutionRecord,
  )

describe('when an execution counts as lost', () => {
  it('is its length and a margin after it began to run', () => {
    expect(lostInMs('Running', minute, 0)).toBe(75_000)
    expect(lostInMs('Running', minute, 20_000)).toBe(55_000)
  })
  it('leaves it time to start before that', () => {
    expect(lostInMs('Distributed', minute, 0)).toBe(105_000)
    for (const stage of ['TearingDown', 'RollbackStarted'] as const)
      expect(lostInMs(stage, minute, 0)).toBe(60_000)
  })

  it('gives a host that reboots time to come back, and one that powers off time to be silent', () => {
    const reboots = shutdownTimes({ reboot: true })
    expect(lostInMs('Running', reboots, 0)).toBe(60_000 + 900_000)
    expect(lostInMs('TearingDown', reboots, 1000)).toBe(899_000)
    const powersOff = shutdownTimes({ reboot: false })
    expect(lostInMs('Running', powersOff, 0)).toBe(60_000 + 120_000)
    expect(lostInMs('TearingDown', powersOff, 0)).toBe(120_000)
  })

  it('gives a container no more than any other fault', () => {
    const container = shutdownTimes({ reboot: true }, 'c1')
    expect(container).toEqual({ lengthMs: 60_000, settleMs: undefined })
    expect(lostInMs('Running', container, 0)).toBe(75_000)
  })
})
