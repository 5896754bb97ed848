import type { Static } from 'typebox'
import type { AttackMetadata } from '../api/metadata.ts'
import { allowedValues, flagName, paramSpecs, valueName, type ParamSpec } from './args.ts'
import type { AttackType } from './define.ts'
import { attackTypeNames, findAttackType } from './index.ts'

type Metadata = Static<typeof AttackMetadata>

/** The catalogue as data: what `GET /v1/metadata`, forms and documents show. */
export function describeAttackTypes(): Metadata[] {
  return attackTypeNames.flatMap((name) => {
    const type = findAttackType(name)
    return type ? [describe(type)] : []
  })
}

function describe(type: AttackType): Metadata {
  const specs = paramSpecs(type)
  return {
    name: type.title,
    command: type.type,
    type: type.category,
    usage: [type.type, ...specs.map((spec) => `[${usageOf(spec)}]`)].join(' '),
    info: type.summary,
    targets: [...type.targets],
    needs: [...type.needs],
    privilege: type.privilege,
    conflicts: type.conflicts.map((pair) => [...pair]),
    args: specs.map(describeArgument),
  }
}

const typeNames = { integer: 'Integer', boolean: 'Boolean', list: 'String' } as const

function describeArgument(spec: ParamSpec): Metadata['args'][number] {
  const { schema, flag, name } = spec
  return {
    name: schema.title,
    key: name,
    long: flag.long,
    short: flag.short ?? '',
    type: typeNames[schema.type],
    multiple: schema.type === 'list',
    required: false,
    advanced: false,
    default: schema.type === 'list' ? [...schema.default] : schema.default,
    ...(schema.type === 'integer'
      ? { minimum: schema.minimum, maximum: schema.maximum, unit: schema.unit }
      : {}),
    usage: usageOf(spec),
    info: `${schema.description} Allowed: ${allowedValues(spec)}.`,
  }
}

function usageOf(spec: ParamSpec): string {
  const value = valueName(spec)
  return value === undefined ? flagName(spec.flag) : `${flagName(spec.flag)} <${value}>`
}
