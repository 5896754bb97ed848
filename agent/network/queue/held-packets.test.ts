import { describe, expect, it } from 'vitest'
import { HeldPackets } from './held-packets.ts'

describe('held packets', () => {
  it('go in the order in which they came, round and round', () => {
    const held = new HeldPackets(3)
    for (let turn = 0; turn < 10; turn++) {
      held.add(turn, 10 * turn, 2)
      held.add(turn + 0.5, 10 * turn + 5, 1)
      expect([held.size, held.oldestArrival, held.oldestLastId, held.oldestCount]).toEqual([
        3,
        turn,
        10 * turn,
        2,
      ])
      held.dropOldest()
      expect([held.size, held.oldestArrival]).toEqual([1, turn + 0.5])
      held.dropOldest()
      expect([held.size, held.oldestArrival]).toEqual([0, Infinity])
    }
  })

  it('join the newest entry when there is no room for another', () => {
    const held = new HeldPackets(2)
    held.add(1, 1, 1)
    held.add(2, 2, 1)
    held.add(3, 9, 7)
    expect(held.size).toBe(9)
    held.dropOldest()
    expect([held.size, held.oldestArrival, held.oldestLastId]).toEqual([8, 2, 9])
  })
})
