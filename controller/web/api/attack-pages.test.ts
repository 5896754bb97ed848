import { describe, expect, test } from 'vitest'
import type { Attack } from '../../../shared/api/records.ts'
import { withAttack, type AttackPage } from './attack-pages.ts'

const attack = (guid: string, second: number, stage = 'Running') =>
  ({ guid, stage, created_at: `2030-01-01T00:00:${second}.000Z` }) as unknown as Attack
const page = (pageToken: string | null, ...items: Attack[]): AttackPage => ({
  pageNumber: 1,
  pageSize: 2,
  pageToken,
  items,
})
const list = (...pages: AttackPage[]) => ({ pages, pageParams: pages.map(() => undefined) })
const idsOf = ({ pages }: ReturnType<typeof list>) =>
  pages.map(({ items }) => items.map(({ guid }) => guid))

describe('what an event tells of an attack', () => {
  const more = list(page('2.c', attack('d', 40), attack('c', 30)), page('3.a', attack('a', 10)))
  const whole = list(page('2.c', attack('d', 40), attack('c', 30)), page(null, attack('a', 10)))

  test('takes the place of what was known', () => {
    const now = withAttack(more, attack('c', 30, 'Failed'), true)
    expect(now.pages[0]?.items[1]).toMatchObject({ guid: 'c', stage: 'Failed' })
    expect(idsOf(now)).toEqual(idsOf(more))
  })

  test('takes it out of a list that it no longer belongs to, and leaves others alone', () => {
    expect(idsOf(withAttack(more, attack('c', 30), false))).toEqual([['d'], ['a']])
    expect(withAttack(more, attack('x', 35), false)).toBe(more)
  })

  test.each([
    ['x', 50, [['x', 'd', 'c'], ['a']]],
    ['x', 35, [['d', 'x', 'c'], ['a']]],
    [
      'x',
      20,
      [
        ['d', 'c'],
        ['x', 'a'],
      ],
    ],
  ])('adds %s of second %i where it belongs', (guid, second, expected) => {
    expect(idsOf(withAttack(more, attack(guid, second), true))).toEqual(expected)
  })

  test('adds one older than all where all are there, else not', () => {
    const old = attack('x', 11)
    expect(idsOf(withAttack(whole, { ...old, created_at: '2029' }, true))[1]).toEqual(['a', 'x'])
    expect(withAttack(more, { ...old, created_at: '2029' }, true)).toBe(more)
    expect(idsOf(withAttack(list(page(null)), old, true))).toEqual([['x']])
    expect(idsOf(withAttack(list(page('2.q')), old, true))).toEqual([[]])
  })
})
