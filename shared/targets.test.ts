import { describe, expect, test } from 'vitest'
import { TargetError, isAbsent, readTarget } from './targets.ts'

const none = { tags: {}, exact: [], labels: {} }

/** Bodies as clients send them: keys that the type does not know are the point of some tests. */
const read = (body: Record<string, unknown>, labels?: Record<string, string> | null) =>
  readTarget(body as never, labels)

function refusal(body: Record<string, unknown>): TargetError {
  try {
    read(body)
  } catch (error) {
    if (error instanceof TargetError) return error
    throw error
  }
  throw new Error(`accepted: ${JSON.stringify(body)}`)
}

describe('targets that mean something', () => {
  test.each([
    [{ type: 'Random' }, { type: 'Random', ...none }],
    [{ type: 'random' }, { type: 'Random', ...none }],
    [
      { type: 'Random', tags: { zone: 'a' } },
      { type: 'Random', ...none, tags: { zone: 'a' } },
    ],
    [
      { type: 'Exact', exact: ['h1'] },
      { type: 'Exact', ...none, exact: ['h1'] },
    ],
    [
      { type: 'EXACT', exact: ['h1', 'h2', 'h1'] },
      { type: 'Exact', ...none, exact: ['h1', 'h2'] },
    ],
  ])('%j', (body, expected) => {
    expect(read(body)).toEqual(expected)
  })

  test('null and empty count as absent', () => {
    for (const tags of [undefined, null, {}])
      for (const exact of [undefined, null, []])
        for (const labels of [undefined, null, {}])
          expect(read({ type: 'Random', tags, exact }, labels)).toEqual({ type: 'Random', ...none })
    expect(read({ type: 'Exact', exact: ['h'], tags: {} }).exact).toEqual(['h'])
    expect(read({ type: 'Exact', exact: ['h'], tags: null }).exact).toEqual(['h'])
  })

  test('labels are taken as given', () => {
    expect(read({ type: 'Random' }, { app: 'web' }).labels).toEqual({ app: 'web' })
  })

  test('keys that nobody knows are ignored', () => {
    expect(read({ type: 'Random', annotations: { a: 1 }, whatever: [1] })).toEqual({
      type: 'Random',
      ...none,
    })
  })

  test('narrowing keys that are not honoured yet are ignored only while they are empty', () => {
    for (const empty of [null, {}, [], ''])
      expect(read({ type: 'Random', hosts: empty, containers: empty }).type).toBe('Random')
  })
})

describe('targets that cannot be meant', () => {
  test.each(['', 'Regex', 'all', ' Random'])(
    'type "%s" is refused naming what is allowed',
    (type) => {
      const error = refusal({ type })
      expect(error.details).toEqual({
        field: 'target.type',
        value: type,
        allowed: 'Random or Exact',
      })
      expect(error.message).toContain(`"${type}"`)
    },
  )

  test.each([
    ['target.exact', { type: 'Exact' }],
    ['target.exact', { type: 'Exact', exact: [] }],
    ['target.exact', { type: 'Exact', exact: null }],
    ['target.tags', { type: 'Exact', exact: ['h'], tags: { zone: 'a' } }],
    ['target.exact', { type: 'Random', exact: ['h'] }],
  ])('names %s in %j', (field, body) => {
    const error = refusal(body)
    expect(error.details.field).toBe(field)
    expect(error.message).toContain(field)
    expect(error.details.allowed).not.toBe('')
  })

  test.each([
    ['hosts', 'all'],
    ['hosts', { ids: ['h'] }],
    ['containers', { labels: { app: 'web' } }],
    ['percent', 10],
    ['percent', 0],
    ['multiSelectTags', { zone: ['a'] }],
    ['template_id', 'x'],
    ['templateId', 'x'],
    ['multiSelectLabels', { app: ['web'] }],
  ])('a narrowing %s of %j is refused: ignoring it would hit more than was meant', (key, value) => {
    const error = refusal({ type: 'Random', [key]: value })
    expect(error.details.field).toBe(`target.${key}`)
    expect(error.message).toContain(`target.${key}`)
  })
})

test('what counts as absent', () => {
  for (const value of [undefined, null, '', {}, []]) expect(isAbsent(value)).toBe(true)
  for (const value of [0, false, 'x', { a: 1 }, [0]]) expect(isAbsent(value)).toBe(false)
})
