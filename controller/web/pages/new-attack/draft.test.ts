import { expect, test } from 'vitest'
import type { Attack } from '../../../../shared/api/records.ts'
import type { AttackType } from '../../../../shared/attacks/define.ts'
import { ApiError } from '../../../../shared/api/errors.ts'
import { findAttackType } from '../../../../shared/attacks/index.ts'
import { readTarget } from '../../../../shared/targets.ts'
import { checkDraft, problemsOfAnswer } from './check-draft.ts'
import { draftOfAttack } from './draft-of-attack.ts'
import { argsOf, emptyDraft, requestOf, type Draft } from './draft.ts'

const typeOf = (name: string) => findAttackType(name) as AttackType
const check = (part: Partial<Draft>) => {
  const draft = { ...emptyDraft, ...part }
  return checkDraft(typeOf(draft.type), draft)
}
const containers = { kind: 'Container', unit: 'containers' } as const

test('only what is not as by default is said, and the length', () => {
  expect(argsOf(typeOf('cpu'), { cores: '1', percent: ' 50 ', allCores: false })).toEqual([
    '--length',
    '60',
    '--percent',
    '50',
  ])
})

test('a form as it opens can be sent', () => {
  expect(check({})).toEqual({})
  expect(check({ choice: 'Exact', hosts: ['a'] })).toEqual({})
  expect(check({ ...containers })).toEqual({})
})

test.each<[Partial<Draft>, string, RegExp]>([
  [{ options: { percent: '101' } }, 'option percent', /“101”.*from 1 to 100 \(%\)/],
  [{ options: { percent: '' } }, 'option percent', /Something has to stand here.*1 to 100/],
  [{ options: { lengthSeconds: '0' } }, 'option lengthSeconds', /from 1 to 31449600/],
  [{ options: { cores: '2', allCores: true } }, 'option cores', /contradict each other/],
  [{ type: 'latency', options: { remotePorts: ['70000'] } }, 'option remotePorts', /“70000”/],
  [{ type: 'latency', options: { remotePorts: [] } }, 'option remotePorts', /Something has to/],
  [
    { type: 'latency', options: { protocols: ['ICMP'], remotePorts: ['80'] } },
    'option protocols',
    /Only TCP and UDP have ports/,
  ],
  [{ type: 'shutdown', options: { crash: true } }, 'option crash', /Only containers crash/],
  [{ amount: '0' }, 'amount', /“0”.*whole number from 1/],
  [{ amount: '101', unit: 'percent of hosts' }, 'amount', /up to 100/],
  [{ tags: ['zone'] }, 'tags', /“zone” as key=value/],
  [{ choice: 'Exact' }, 'hosts', /Choose the hosts/],
  [{ ...containers, choice: 'Exact' }, 'containers', /Choose containers/],
  [{ ...containers, unit: 'hosts' }, 'labels', /which containers/],
  [{ ...containers, unit: 'hosts', labels: ['a=1', 'a=2'] }, 'labels', /one value/],
])('%j is marked at %s', (part, field, words) => {
  const problems = check(part)
  expect(Object.keys(problems)).toEqual([field])
  expect(problems[field as keyof typeof problems]).toMatch(words)
})

test('several fields are marked at once', () => {
  expect(
    Object.keys(check({ amount: 'x', options: { percent: '0', cores: 'many' } })).sort(),
  ).toEqual(['amount', 'option cores', 'option percent'])
})

test('answers of the API are shown at their field', () => {
  const cpu = typeOf('cpu')
  const refused = (code: 'invalid_argument' | 'invalid_target', details: Record<string, unknown>) =>
    problemsOfAnswer(cpu, new ApiError(code, 'No.', { details }))
  expect(refused('invalid_argument', { flag: '-p/--percent' })).toEqual({ 'option percent': 'No.' })
  expect(refused('invalid_target', { field: 'target.tags' })).toEqual({ tags: 'No.' })
  expect(problemsOfAnswer(cpu, new Error('No.'))).toEqual({})
})

test.each<[string, Partial<Draft>]>([
  ['a random host', {}],
  ['a share with tags', { amount: '50', unit: 'percent of hosts', tags: ['zone=eu', 'zone=us'] }],
  ['exact hosts', { choice: 'Exact', hosts: ['a', 'b'] }],
  ['containers', { ...containers, labels: ['app=web'], amount: '2', tags: ['constructor=x'] }],
  ['named containers', { ...containers, choice: 'Exact', hosts: ['a'], containers: ['c'] }],
  ['those of a random host', { ...containers, unit: 'hosts', labels: ['app=web'] }],
  ['options', { type: 'latency', options: { delayMs: '7', protocols: ['TCP', '^UDP'] } }],
])('%s is run again as it was', (_, part) => {
  const draft: Draft = { ...emptyDraft, ...part }
  const asked = requestOf(typeOf(draft.type), draft)
  const attack = {
    command_type: asked.command.type,
    args: asked.command.args,
    target: readTarget(asked.target, asked.labels),
  } as unknown as Attack
  const again = draftOfAttack(attack)
  const request = requestOf(typeOf(again.type), again)
  expect(request.command).toEqual(asked.command)
  expect(readTarget(request.target, request.labels)).toEqual(attack.target)
})

test('what the form has no words for becomes what hits the same', () => {
  const target = readTarget({ type: 'Exact', exact: 2, tags: { a: 'b' }, containers: 'all' }, null)
  const draft = draftOfAttack({ command_type: 'gone', args: ['-z'], target } as unknown as Attack)
  expect(draft).toMatchObject({ choice: 'Random', amount: '2', unit: 'containers', tags: ['a=b'] })
  expect(draft.type).toBe('cpu')
})
