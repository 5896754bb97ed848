import { expect, test } from 'vitest'
import { alignPoints } from './chart-data.ts'

const at = (second: number, value: number) => ({
  timestamp: new Date(second * 1000).toISOString(),
  value,
})

test('lines share one axis of time; where one has nothing there is a gap', () => {
  const lines = [
    { name: 'a', asked: 50, points: [at(1, 49), at(2, 51)] },
    { name: 'b', asked: null, points: [at(2.2, 10), at(3, 11)] },
  ]
  expect(alignPoints(lines)).toEqual([
    [1, 2, 3],
    [49, 51, null],
    [50, 50, null],
    [null, 10, 11],
    [null, null, null],
  ])
})

test('without lines there is an empty axis', () => {
  expect(alignPoints([])).toEqual([[]])
})
