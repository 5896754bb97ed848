import { describe, expect, it } from 'vitest'
import { AgeGuard, readOrder } from './orders.ts'

describe('the age of an order', () => {
  const guard = new AgeGuard()
  guard.sent(0, 1000)
  guard.sent(1, 6000)

  it('is bounded by the heartbeat that the controller had seen', () => {
    const order = { heartbeatSeen: 1, startWithinMs: 10_000 }
    expect(guard.isTooLate(order, 5000, 20_999)).toBe(false)
    expect(guard.isTooLate(order, 5000, 21_001)).toBe(true)
  })

  it('is bounded by the Hello before the first heartbeat, and for unknown ones', () => {
    expect(guard.isTooLate({ heartbeatSeen: 0, startWithinMs: 1000 }, 5000, 7001)).toBe(true)
    expect(guard.isTooLate({ heartbeatSeen: 77, startWithinMs: 1000 }, 5000, 7001)).toBe(true)
    expect(guard.isTooLate({ heartbeatSeen: 0, startWithinMs: 1000 }, 5000, 6999)).toBe(false)
  })
})

it('reads an order whose parameters are no JSON as one without', () => {
  const order = readOrder({
    executionId: 'e',
    generation: 1,
    attackId: 'a',
    attackType: 'cpu',
    paramsJson: '{',
    container: null,
    startWithinMs: 1,
    heartbeatSeen: 0,
    figuresMs: 0,
  })
  expect(order.params).toBeUndefined()
  expect(order.container).toBeUndefined()
})
