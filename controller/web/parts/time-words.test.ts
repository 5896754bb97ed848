import { expect, test } from 'vitest'
import { lengthWords, relativeWords } from './time-words.ts'

test.each([
  [0, 'now'],
  [-4, 'now'],
  [2, 'now'],
  [-30, '30 seconds ago'],
  [-60, '1 minute ago'],
  [-3_599, '59 minutes ago'],
  [-86_400, 'yesterday'],
  [-40 * 86_400, 'last month'],
  [7_200, 'in 2 hours'],
])('%d s is "%s"', (seconds, words) => {
  expect(relativeWords(1e12 + seconds * 1000, 1e12)).toBe(words)
})

test.each([
  [-1, '0 s'],
  [0.4, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [125, '2 min 5 s'],
  [3_600, '1 h'],
  [5_400, '1 h 30 min'],
])('%d s last "%s"', (seconds, words) => {
  expect(lengthWords(seconds)).toBe(words)
})
