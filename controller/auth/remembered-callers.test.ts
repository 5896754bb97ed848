import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Caller } from './access.ts'
import { createRememberedCallers } from './remembered-callers.ts'

const caller = (email: string) => ({ email }) as Caller

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('somebody is known for ten minutes, and not longer than the session lasts', () => {
  const remembered = createRememberedCallers()
  remembered.remember('long', caller('a'), undefined)
  remembered.remember('short', caller('b'), Date.now() + 1_000)
  expect(remembered.find('long')).toEqual({ email: 'a', isRemembered: true })
  expect(remembered.find('short')).toBeDefined()
  vi.advanceTimersByTime(1_000)
  expect(remembered.find('short')).toBeUndefined()
  vi.advanceTimersByTime(598_000)
  expect(remembered.find('long')).toBeDefined()
  vi.advanceTimersByTime(1_000)
  expect(remembered.find('long')).toBeUndefined()
})

test('who is not let in any more is forgotten, and of too many those who came first', () => {
  const remembered = createRememberedCallers()
  remembered.remember('out', caller('a'), undefined)
  remembered.forget('out')
  expect(remembered.find('out')).toBeUndefined()
  for (let n = 0; n <= 1_000; n += 1) remembered.remember(`${n}`, caller('b'), undefined)
  expect(remembered.find('0')).toBeUndefined()
  expect(remembered.find('1')).toBeDefined()
})
