import { expect, it } from 'vitest'
import { FiguresClock } from './figures-clock.ts'

/** The seconds of a minute in which figures are due. */
function dueSeconds(clock: FiguresClock, everyMs: number, from = 0): number[] {
  const seconds = Array.from({ length: 60 }, (_, at) => from + at)
  return seconds.filter((second) => clock.isDue(second * 1000, everyMs))
}

it('has figures due at each tick unless the controller wants fewer', () => {
  expect(dueSeconds(new FiguresClock(), 0)).toHaveLength(60)
  expect(dueSeconds(new FiguresClock(), 1000)).toHaveLength(60)
})

it('has them due as often as the controller wants, from a moment of its own', () => {
  const firsts = Array.from({ length: 40 }, () => {
    const due = dueSeconds(new FiguresClock(), 5000)
    expect(due.length).toBeGreaterThanOrEqual(11)
    expect(due.slice(1).every((second, at) => second - (due[at] ?? 0) === 5)).toBe(true)
    return due[0]
  })
  expect(new Set(firsts).size).toBeGreaterThan(2)
})

it('follows the controller when it wants more again', () => {
  const clock = new FiguresClock()
  dueSeconds(clock, 10_000)
  expect(dueSeconds(clock, 1000, 60)).toHaveLength(60)
})
