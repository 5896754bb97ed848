import type { CreateAttackBody } from '../../../../shared/api/attacks.ts'
import { paramSpecs, type ParamSpec } from '../../../../shared/attacks/args.ts'
import type { AttackType, TargetKind } from '../../../../shared/attacks/define.ts'
import { readPairs, singleValued } from './pairs.ts'

/** What stands in a field: text, on or off, or a list. */
export type OptionValue = string | boolean | readonly string[]

/** How many are drawn, and of what. */
export const drawUnits = [
  'hosts',
  'percent of hosts',
  'containers',
  'percent of containers',
] as const
export type DrawUnit = (typeof drawUnits)[number]

/** An attack as it stands in the form: texts as they were typed. */
export interface Draft {
  readonly kind: TargetKind
  readonly choice: 'Random' | 'Exact'
  readonly amount: string
  readonly unit: DrawUnit
  readonly hosts: readonly string[]
  /** Each `key=value`; a key twice means either. */
  readonly tags: readonly string[]
  readonly labels: readonly string[]
  /** Ids. */
  readonly containers: readonly string[]
  readonly type: string
  /** By the name of the parameter; what is not here is as by default. */
  readonly options: Readonly<Record<string, OptionValue>>
}

/** The parameter that the block "How long" is about. */
export const lengthParam = 'lengthSeconds'

export const emptyDraft: Draft = {
  kind: 'Host',
  choice: 'Random',
  amount: '1',
  unit: 'hosts',
  hosts: [],
  tags: [],
  labels: [],
  containers: [],
  type: 'cpu',
  options: {},
}

/** What stands in the field of a parameter. */
export function optionOf({ name, schema }: ParamSpec, options: Draft['options']): OptionValue {
  return options[name] ?? (schema.type === 'integer' ? String(schema.default) : schema.default)
}

/** The arguments of the attack: the length always, else what is not as by default. */
export function argsOf(type: AttackType, options: Draft['options']): string[] {
  return paramSpecs(type).flatMap((spec) => argOf(spec, options))
}

/** The arguments that set one parameter. */
export function argOf(spec: ParamSpec, options: Draft['options']): string[] {
  const { name, flag, schema } = spec
  const value = optionOf(spec, options)
  const isDefault = String(value) === String(schema.default)
  if (isDefault && name !== lengthParam) return []
  if (typeof value === 'boolean') return value ? [`--${flag.long}`] : []
  return [`--${flag.long}`, typeof value === 'string' ? value.trim() : value.join(',')]
}

/** The request that carries out what stands in the form. */
export function requestOf(type: AttackType, draft: Draft): CreateAttackBody {
  return { command: { type: type.type, args: argsOf(type, draft.options) }, ...targetOf(draft) }
}

/** Whether hosts are drawn, and then all the containers on them that match. */
export function drawsHosts({ unit }: Draft): boolean {
  return unit === 'hosts' || unit === 'percent of hosts'
}

export function isPercent({ unit }: Draft): boolean {
  return unit.startsWith('percent')
}

function targetOf(draft: Draft): Pick<CreateAttackBody, 'target' | 'labels'> {
  const { choice, hosts } = draft
  if (choice === 'Exact') {
    const exact = hosts.length > 0 ? { exact: [...hosts] } : {}
    return { target: { type: 'Exact', ...exact, ...containersOf(draft) } }
  }
  const target = {
    type: 'Random',
    ...(hosts.length > 0 ? { hosts: { ids: [...hosts] } } : {}),
    ...tagsOf(draft),
    ...(isPercent(draft)
      ? { percent: Number(draft.amount) }
      : // One is what is drawn when nothing is said.
        Number(draft.amount) === 1 && drawsHosts(draft)
        ? {}
        : { exact: Number(draft.amount) }),
  }
  if (draft.kind === 'Container' && drawsHosts(draft))
    return { target, labels: singleValued(readPairs(draft.labels)) ?? {} }
  return { target: { ...target, ...containersOf(draft) } }
}

function tagsOf({ tags }: Draft): Partial<CreateAttackBody['target']> {
  if (tags.length === 0) return {}
  const pairs = readPairs(tags)
  const plain = singleValued(pairs)
  return plain ? { tags: plain } : { multiSelectTags: pairs }
}

function containersOf({ kind, labels, containers }: Draft): Partial<CreateAttackBody['target']> {
  if (kind === 'Host') return {}
  if (labels.length === 0 && containers.length === 0) return { containers: 'all' }
  return {
    containers: {
      ...(containers.length > 0 ? { ids: [...containers] } : {}),
      ...(labels.length > 0 ? { multiSelectLabels: readPairs(labels) } : {}),
    },
  }
}
