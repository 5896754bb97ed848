import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onEndSignals } from './signals.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('the same Ctrl-C from several sides counts once, a later one ends at once', () => {
  const seen: string[] = []
  const forget = onEndSignals(
    (signal) => seen.push(signal),
    () => seen.push('again'),
  )
  process.emit('SIGINT', 'SIGINT')
  process.emit('SIGTERM', 'SIGTERM')
  expect(seen).toEqual(['SIGINT'])
  vi.advanceTimersByTime(550)
  process.emit('SIGINT', 'SIGINT')
  expect(seen).toEqual(['SIGINT', 'again'])
  forget()
  process.emit('SIGHUP', 'SIGHUP')
  expect(seen).toHaveLength(2)
})
