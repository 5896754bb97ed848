import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { onEndSignals } from './signals.ts'

test('the same Ctrl-C from several sides counts once, a later one ends at once', async () => {
  const seen: string[] = []
  const forget = onEndSignals(
    (signal) => seen.push(signal),
    () => seen.push('again'),
  )
  process.emit('SIGINT', 'SIGINT')
  process.emit('SIGTERM', 'SIGTERM')
  expect(seen).toEqual(['SIGINT'])
  await sleep(550)
  process.emit('SIGINT', 'SIGINT')
  expect(seen).toEqual(['SIGINT', 'again'])
  forget()
  process.emit('SIGHUP', 'SIGHUP')
  expect(seen).toHaveLength(2)
})
