import { expect, test } from 'vitest'
import { makePlan, type Fault } from './plan.ts'

const ways = {
  controllers: ['c1', 'c2'],
  hosts: [
    { name: 'r1', team: 'red' },
    { name: 'r2', team: 'red' },
    { name: 'b1', team: 'blue' },
  ],
}

test('a seed is a plan', () => {
  expect(makePlan(7, 300, ways)).toEqual(makePlan(7, 300, ways))
  expect(makePlan(8, 300, ways)).not.toEqual(makePlan(7, 300, ways))
})

test('a part has one fault at a time, and all kinds of faults come', () => {
  const { steps, faults } = makePlan(7, 1_000, ways)
  expect(faults).toBeGreaterThanOrEqual(1_000)
  const injected = steps.filter((step): step is typeof step & Fault => step.do === 'fault')
  for (const [, all] of Map.groupBy(injected, ({ part }) => part))
    all.forEach(({ atMs, forMs }, index) => {
      expect(all[index + 1]?.atMs ?? Infinity).toBeGreaterThan(atMs + forMs)
    })
  const kinds = new Set(injected.map(({ kind, part }) => `${kind} ${part.split(':')[0]}`))
  expect([...kinds].toSorted()).toEqual(
    [
      ...['cut', 'hold-both', 'hold-down', 'hold-up'].map((kind) => `${kind} link`),
      ...['cut', 'hold-both'].map((kind) => `${kind} redis-link`),
      ...['agent', 'controller', 'redis'].flatMap((part) => [`kill ${part}`, `stop ${part}`]),
    ].toSorted(),
  )
})
