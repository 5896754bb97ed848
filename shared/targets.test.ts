import { describe, expect, test } from 'vitest'
import { TargetError, carries, isAbsent, readTarget } from './targets.ts'

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

const anyHost = { ids: null, tags: {} }
const one = { of: 'hosts', count: 1, percent: null }

describe('targets that mean something', () => {
  test.each([
    [{ type: 'Random' }, { hosts: anyHost, containers: null, draw: one }],
    [
      { type: 'random', hosts: 'all' },
      { hosts: anyHost, containers: null, draw: one },
    ],
    [
      { type: 'Random', tags: { zone: 'a' } },
      { hosts: { ids: null, tags: { zone: ['a'] } }, containers: null, draw: one },
    ],
    [
      { type: 'Random', hosts: { multiSelectTags: { zone: ['a', 'b'] } }, percent: 10 },
      {
        hosts: { ids: null, tags: { zone: ['a', 'b'] } },
        containers: null,
        draw: { of: 'hosts', count: null, percent: 10 },
      },
    ],
    [
      { type: 'Random', hosts: 'all', exact: 2 },
      { hosts: anyHost, containers: null, draw: { ...one, count: 2 } },
    ],
    [
      { type: 'Exact', exact: ['h1'] },
      { hosts: { ids: ['h1'], tags: {} }, containers: null, draw: null },
    ],
    [
      { type: 'EXACT', exact: ['h1', 'h2', 'h1'] },
      { hosts: { ids: ['h1', 'h2'], tags: {} }, containers: null, draw: null },
    ],
    [
      { type: 'Exact', exact: '1', hosts: { ids: ['h1', 'h2'] } },
      { hosts: { ids: ['h1', 'h2'], tags: {} }, containers: null, draw: null },
    ],
    [
      { type: 'Exact', containers: { ids: ['c1'] } },
      { hosts: anyHost, containers: { ids: ['c1'], labels: {} }, draw: null },
    ],
    [
      { type: 'Random', containers: 'all', percent: 50 },
      {
        hosts: anyHost,
        containers: { ids: null, labels: {} },
        draw: { of: 'containers', count: null, percent: 50 },
      },
    ],
    [
      { type: 'Random', containers: { labels: { app: 'web' } } },
      { hosts: anyHost, containers: { ids: null, labels: { app: ['web'] } }, draw: one },
    ],
    [
      { type: 'Exact', containers: { multiSelectLabels: { app: ['a', 'b'] } }, exact: 2 },
      {
        hosts: anyHost,
        containers: { ids: null, labels: { app: ['a', 'b'] } },
        draw: { of: 'containers', count: 2, percent: null },
      },
    ],
  ])('%j', (body, expected) => {
    const { type: _, ...rest } = read(body)
    expect(rest).toEqual(expected)
  })

  test('null and empty count as absent', () => {
    for (const tags of [undefined, null, {}])
      for (const exact of [undefined, null, []])
        for (const labels of [undefined, null, {}])
          expect(read({ type: 'Random', tags, exact }, labels)).toEqual(read({ type: 'Random' }))
    expect(read({ type: 'Exact', exact: ['h'], tags: {} }).hosts.ids).toEqual(['h'])
    expect(read({ type: 'Exact', exact: ['h'], tags: null }).hosts.ids).toEqual(['h'])
  })

  test('labels beside the target mean all matching containers of the hosts drawn', () => {
    const target = read({ type: 'Random', exact: 2 }, { app: 'web' })
    expect(target.containers).toEqual({ ids: null, labels: { app: ['web'] } })
    expect(target.draw).toEqual({ ...one, count: 2 })
  })

  test('a key that is given twice must be carried in both senses', () => {
    const target = read(
      { type: 'Random', containers: { multiSelectLabels: { app: ['web', 'db'] } } },
      { app: 'web' },
    )
    expect(target.containers?.labels).toEqual({ app: ['web'] })
  })

  test('keys that nobody knows are ignored', () => {
    expect(read({ type: 'Random', annotations: { a: 1 }, whatever: [1] })).toEqual(
      read({ type: 'Random' }),
    )
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
    ['target.exact', { type: 'Exact', exact: 2 }],
    ['target.exact', { type: 'Exact', hosts: 'all' }],
    ['target.tags', { type: 'Exact', exact: ['h'], tags: { zone: 'a' } }],
    ['target.percent', { type: 'Exact', exact: ['h'], percent: 10 }],
    ['target.percent', { type: 'Random', exact: 2, percent: 10 }],
    ['target.exact', { type: 'Random', exact: ['h'] }],
  ])('names %s in %j', (field, body) => {
    const error = refusal(body)
    expect(error.details.field).toBe(field)
    expect(error.message).toContain(field)
    expect(error.details.allowed).not.toBe('')
  })

  test.each([
    ['target.template_id', { template_id: 'x' }],
    ['target.templateId', { templateId: 'x' }],
    ['target.providers', { providers: ['aws'] }],
    ['target.trafficImpactMapping', { trafficImpactMapping: { multiSelectTags: { a: ['b'] } } }],
    ['target.hosts.names', { hosts: { names: ['h'] } }],
    ['target.containers.image', { containers: { image: 'nginx' } }],
  ])('%s is refused: ignoring it would hit more than was meant', (field, body) => {
    const error = refusal({ type: 'Random', ...body })
    expect(error.details.field).toBe(field)
    expect(error.message).toContain(field)
  })
})

describe('carrying a selector', () => {
  test.each([
    [{}, {}, true],
    [{ app: ['web'] }, { app: 'web', more: 'x' }, true],
    [{ app: ['web', 'db'] }, { app: 'db' }, true],
    [{ app: ['web'], zone: ['a'] }, { app: 'web' }, false],
    [{ app: ['web'] }, { app: 'webs' }, false],
    [{ app: [] }, { app: 'web' }, false],
  ])('%j by %j: %s', (selector, actual, expected) => {
    expect(carries(selector as never, actual as never)).toBe(expected)
  })
})

test('what counts as absent', () => {
  for (const value of [undefined, null, '', {}, []]) expect(isAbsent(value)).toBe(true)
  for (const value of [0, false, 'x', { a: 1 }, [0]]) expect(isAbsent(value)).toBe(false)
})
