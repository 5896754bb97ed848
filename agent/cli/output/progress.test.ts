import { expect, test } from 'vitest'
import { fakeIo } from './fake-io.ts'
import { createProgress } from './progress.ts'

const row = { name: 'web-1', stage: 'Running', fraction: 0.5, note: '5 s left' }

test('without a terminal each change of stage is one line', () => {
  const io = fakeIo()
  const progress = createProgress(io)
  progress.update([{ ...row, stage: 'Pending', note: '' }])
  progress.update([row])
  progress.update([{ ...row, note: '4 s left' }])
  expect(io.err).toEqual(['web-1: Pending', 'web-1: Running (5 s left)'])
})

test('on a terminal the bars are redrawn in place', () => {
  const io = fakeIo({}, { isTerminal: true })
  const progress = createProgress(io)
  progress.update([row])
  progress.update([{ ...row, fraction: 1 }])
  expect(io.err[0]).toContain('[##########----------]')
  expect(io.err[1]).toContain('\u001B[1A\u001B[2Kweb-1  [####################]')
})

test('on a terminal nothing in a bar is obeyed', () => {
  const io = fakeIo({}, { isTerminal: true })
  const note = 'ended: \u001B]52;c;ZWNobw==\u0007\u001B[2J\nroot@host:~# '
  createProgress(io).update([{ ...row, name: 'web\u009B31m', note }])
  const [drawn = ''] = io.err
  expect(drawn.replace('\u001B[2K', '').replace(/\n$/, '')).not.toMatch(/\p{Cc}/u)
  expect(drawn).toContain('ended: ')
})
