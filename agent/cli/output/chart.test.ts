import { expect, test } from 'vitest'
import { chartLines } from './chart.ts'

const series = (values: number[]) => values.map((value, i) => ({ atMs: i * 1000, value }))

test('draws a column for each value and a line for what was asked', () => {
  const lines = chartLines({
    points: series([0, 25, 50, 51, 49]),
    requested: 75,
    unit: 'percent',
    columns: 80,
  })
  expect(lines).toEqual([
    '   100.0 │',
    '         │',
    '         │╌╌╌╌╌ ╌ asked 75.0',
    '         │   ▁',
    '         │  ██▇',
    '         │  ███',
    '         │ ████',
    '         │ ████',
    '     0.0 └─────',
    '          5 values over 4 s, in percent',
  ])
})

test('a long series fits the screen', () => {
  const points = series(Array.from({ length: 1000 }, (_, i) => i % 7))
  const lines = chartLines({ points, requested: null, unit: 'x', columns: 40 })
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40)
})

test('without values it says so', () => {
  expect(chartLines({ points: [], requested: 1, unit: 'x', columns: 80 })).toEqual([
    'Nothing was measured.',
  ])
})
