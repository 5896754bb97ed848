import { execFileSync } from 'node:child_process'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addTypeOptions, readTypeArgs } from '../../agent/cli/commands/attack-type-options.ts'
import {
  addTargetOptions,
  readTarget,
  type TargetOptions,
} from '../../agent/cli/commands/target-options.ts'
import type { CreateAttackBody } from '../../shared/api/attacks.ts'
import { parseArgs } from '../../shared/attacks/args.ts'
import type { AttackType } from '../../shared/attacks/define.ts'
import { findAttackType } from '../../shared/attacks/index.ts'
import { readTarget as resolve } from '../../shared/targets.ts'
import { cliLine, curlLine } from '../../controller/web/pages/new-attack/command-lines.ts'
import { emptyDraft, requestOf, type Draft } from '../../controller/web/pages/new-attack/draft.ts'

const typeOf = ({ type }: Draft) => findAttackType(type) as AttackType

/** What a shell makes of a line. */
const wordsOf = (line: string) =>
  execFileSync('bash', ['-c', String.raw`printf '%s\0' ${line}`], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
    .split('\0')
    .slice(0, -1)

/** What the API understands of a request. */
const meaningOf = ({ command, target, labels }: CreateAttackBody) => {
  const type = findAttackType(command.type) as AttackType
  return { params: parseArgs(type, command.args ?? []), target: resolve(target, labels) }
}

/** What the command line makes of its arguments. */
function requestOfWords([, , , name = '', ...rest]: string[]): CreateAttackBody {
  const type = findAttackType(name) as AttackType
  const command = new Command().exitOverride()
  addTypeOptions(command, type)
  addTargetOptions(command)
  command.parse(rest, { from: 'user' })
  const target = readTarget(command.opts<TargetOptions>())
  return { command: { type: name, args: readTypeArgs(command, type) }, ...target }
}

const containers = { kind: 'Container', unit: 'containers' } as const
test.each<[string, Partial<Draft>]>([
  ['a random host', {}],
  ['three random hosts', { amount: '3' }],
  ['a share of the hosts with tags', { amount: '12.5', unit: 'percent of hosts', tags: ['z=1'] }],
  ['either of two tags', { tags: ['zone=eu', 'zone=us', 'tier=a b'] }],
  ['two of three hosts', { hosts: ['a', 'b', 'c'], amount: '2' }],
  ['a random one of two', { hosts: ['a', 'b'] }],
  ['exact hosts', { choice: 'Exact', hosts: ['a', "it's $HOME", '-x', 'a\u202eb\n\\'] }],
  ['containers by label', { ...containers, labels: ['app=web', 'app=api'], amount: '2' }],
  ['any container', { ...containers }],
  ['containers of hosts with tags', { ...containers, tags: ['zone=eu'], labels: ['app=web'] }],
  ['the containers of a random host', { ...containers, unit: 'hosts', labels: ['app=web'] }],
  ['containers by id', { ...containers, choice: 'Exact', containers: ['c'.repeat(64)] }],
  ['those of a host', { ...containers, choice: 'Exact', hosts: ['a'], labels: ['app=web'] }],
  ['all of a host', { ...containers, choice: 'Exact', hosts: ['a'] }],
  [
    'every kind of option',
    {
      type: 'latency',
      options: {
        lengthSeconds: '30',
        delayMs: '250',
        remotePorts: ['443', '8080-8085', '^8081'],
        noDerivedExclusions: true,
      },
    },
  ],
  ['a type without a length', { type: 'shutdown', options: { delayMinutes: '5', reboot: true } }],
])('%s: the command line makes the same request', (_, part) => {
  const draft = { ...emptyDraft, ...part }
  const line = cliLine(typeOf(draft), draft) ?? ''
  // Nothing in it acts on a terminal.
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(meaningOf(requestOfWords(wordsOf(line)))).toEqual(
    meaningOf(requestOf(typeOf(draft), draft)),
  )
})

test('all that match, where the command line has only shares, is all of them', () => {
  const draft: Draft = { ...emptyDraft, ...containers, choice: 'Exact', labels: ['app=web'] }
  expect(cliLine(typeOf(draft), draft)).toContain('--label app=web --percent-of-targets 100')
})

test.each<Partial<Draft>>([
  { hosts: ['a'], tags: ['zone=eu'] },
  { ...containers, unit: 'hosts', amount: '2', labels: ['app=web'] },
])('what the command line has no words for has no line: %j', (part) => {
  const draft = { ...emptyDraft, ...part }
  expect(cliLine(typeOf(draft), draft)).toBeUndefined()
})

test('curl sends the same request, with a key of the environment', () => {
  const draft: Draft = { ...emptyDraft, choice: 'Exact', hosts: ["it's `id`", 'a\nb'] }
  const body = requestOf(typeOf(draft), draft)
  const line = curlLine('https://temblor.example/v1', 'team id', body)
  const words = wordsOf(line.replace('$TEMBLOR_API_KEY', 'KEY'))
  expect(words[2]).toBe('https://temblor.example/v1/attacks/new?teamId=team%20id')
  expect(words).toContain('Authorization: Key KEY')
  expect(JSON.parse(words.at(-1) ?? '')).toEqual(body)
})
