import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const flags = ['--length', '--cores', '--all-cores', '--percent']

test.each([
  ['--lenght', '--length'],
  ['--length', '--length'],
  ['--legnth', '--length'],
  ['--core', '--cores'],
  ['--allcores', '--all-cores'],
  ['--percet', '--percent'],
])('%s is near %s', (word, expected) => {
  expect(nearest(word, flags)).toBe(expected)
})

test.each(['', '-x', '--m', '--memory', '--nothing-like-it'])('%s is near nothing', (word) => {
  expect(nearest(word, flags)).toBeUndefined()
})

test('a very long word is near nothing and is judged at once', () => {
  const before = process.threadCpuUsage()
  expect(nearest('x'.repeat(250_000), flags)).toBeUndefined()
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(100)
})

test('of two that are equally near the first wins, and without candidates there is none', () => {
  expect(nearest('cat', ['bat', 'hat'])).toBe('bat')
  expect(nearest('cat', [])).toBeUndefined()
})
