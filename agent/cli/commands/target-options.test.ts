import { expect, test } from 'vitest'
import { readTarget as resolve } from '../../../shared/targets.ts'
import { readTarget, type TargetOptions } from './target-options.ts'

test.each<[TargetOptions, unknown]>([
  [{ random: true }, { target: { type: 'Random' } }],
  [{ target: ['a', 'b'] }, { target: { type: 'Exact', exact: ['a', 'b'] } }],
  [
    { tag: ['zone=eu', 'tier=web'] },
    { target: { type: 'Random', tags: { zone: 'eu', tier: 'web' } } },
  ],
  [
    { tag: ['zone=eu', 'zone=us'] },
    { target: { type: 'Random', multiSelectTags: { zone: ['eu', 'us'] } } },
  ],
  [
    { random: true, label: ['a=b=c'] },
    { target: { type: 'Random' }, labels: { a: 'b=c' } },
  ],
  [{ count: '2' }, { target: { type: 'Random', exact: 2 } }],
  [{ percentOfTargets: '12.5' }, { target: { type: 'Random', percent: 12.5 } }],
  [
    { target: ['a', 'b'], count: '1' },
    { target: { type: 'Random', hosts: { ids: ['a', 'b'] }, exact: 1 } },
  ],
  [{ container: ['x'] }, { target: { type: 'Exact', containers: { ids: ['x'] } } }],
  [
    { target: ['a'], allContainers: true },
    { target: { type: 'Exact', exact: ['a'], containers: 'all' } },
  ],
])('%j is sent as %j', (options, body) => {
  expect(readTarget(options)).toEqual(body)
})

test.each<[TargetOptions, unknown]>([
  [{ count: '2' }, { draw: { of: 'hosts', count: 2, percent: null }, containers: null }],
  [
    { random: true, label: ['app=web'] },
    { draw: { of: 'hosts', count: 1, percent: null }, containers: { labels: { app: ['web'] } } },
  ],
  [
    { label: ['app=web', 'app=api'], percentOfTargets: '50' },
    {
      draw: { of: 'containers', count: null, percent: 50 },
      containers: { ids: null, labels: { app: ['web', 'api'] } },
    },
  ],
  [
    { allContainers: true, target: ['a'], count: '3' },
    { draw: { of: 'containers', count: 3, percent: null }, hosts: { ids: ['a'] } },
  ],
  [{ container: ['x', 'y'], count: '1' }, { draw: { of: 'containers', count: 1, percent: null } }],
  [
    { container: ['x', 'y'] },
    { draw: null, hosts: { ids: null }, containers: { ids: ['x', 'y'] } },
  ],
  [
    { target: ['a'], label: ['app=web'] },
    { draw: null, hosts: { ids: ['a'] } },
  ],
])('%j is understood by the controller as %j', (options, meant) => {
  const { target, labels } = readTarget(options)
  expect(resolve(target, labels)).toMatchObject(meant as object)
})

test.each<[TargetOptions, string]>([
  [{}, 'Say who is hit'],
  [{ label: ['a=b'] }, '100 for all of them'],
  [{ allContainers: true }, '100 for all of them'],
  [{ random: true, target: ['x'] }, '--target cannot stand with --random'],
  [{ random: true, allContainers: true, label: ['a=b'] }, '--all-containers cannot stand with'],
  [{ count: '1', percentOfTargets: '1' }, '--count cannot stand with'],
  [{ count: '0' }, '--count cannot be "0"'],
  [{ count: '1.5' }, '--count cannot be'],
  [{ percentOfTargets: '101' }, 'up to 100'],
  [{ percentOfTargets: 'half' }, 'up to 100'],
  [{ tag: ['zone'] }, '--tag cannot be "zone". Write it as key=value.'],
  [{ random: true, label: ['=x'] }, '--label cannot be "=x"'],
])('%j is refused: %s', (options, message) => {
  expect(() => readTarget(options)).toThrow(message)
})
