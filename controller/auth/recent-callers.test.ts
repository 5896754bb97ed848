import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Shown } from './access.ts'
import { createRecentCallers } from './recent-callers.ts'

const shownBy = (id: string, expiresMs = Date.now() + 60_000) =>
  ({ hash: `hash-${id}`, found: { record: { id, expiresMs } }, atMs: performance.now() }) as Shown

const known = (ids: readonly string[]) => {
  const recent = createRecentCallers(() => true)
  for (const id of ids) recent.begin()(`hash-${id}`, shownBy(id))
  return { recent, ids: () => ids.filter((id) => recent.find(`hash-${id}`)) }
}

// All of this happens in one moment, however busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

describe('recent callers', () => {
  it.each([
    ['temblor:session:ann', ['bob']],
    ['temblor:session-token:hash-ann', ['bob']],
    ['temblor:{u:1}:api-key:bob', ['ann']],
    ['temblor:api-key:hash-bob', ['ann']],
    ['temblor:session:somebody', ['ann', 'bob']],
    ['temblor:{c:1}:members', []],
    ['temblor:user:1', []],
  ])('forget whom a change of %s concerns', (key, left) => {
    const { recent, ids } = known(['ann', 'bob'])
    recent.changed([key])
    expect(ids()).toEqual(left)
  })

  it('forget everybody when changes may have been missed', () => {
    const { recent, ids } = known(['ann', 'bob'])
    expect(ids()).toEqual(['ann', 'bob'])
    vi.advanceTimersByTime(19)
    expect(ids()).toEqual(['ann', 'bob'])
    recent.changed(undefined)
    expect(ids()).toEqual([])
  })

  it('keep nothing that was begun before a change, or whose time is over', () => {
    const recent = createRecentCallers(() => true)
    const keep = recent.begin()
    recent.changed(['temblor:session:somebody'])
    keep('hash-ann', shownBy('ann'))
    recent.begin()('hash-bob', shownBy('bob', Date.now() - 1))
    recent.begin()('hash-old', { ...shownBy('old'), atMs: performance.now() - 1_000 })
    expect(['ann', 'bob', 'old'].filter((id) => recent.find(`hash-${id}`))).toEqual([])
  })

  it('know nobody when no look-up was answered lately', () => {
    const { recent, ids } = known(['ann', 'bob'])
    vi.advanceTimersByTime(20)
    expect(ids()).toEqual([])
    recent.begin()('hash-eve', shownBy('eve'))
    expect(ids()).toEqual(['ann', 'bob'])
  })

  it('know nobody while changes are not heard', () => {
    let isHeard = true
    const recent = createRecentCallers(() => isHeard)
    recent.begin()('hash-ann', shownBy('ann'))
    expect(recent.find('hash-ann')).toBeDefined()
    isHeard = false
    expect(recent.find('hash-ann')).toBeUndefined()
  })
})
