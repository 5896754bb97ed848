import type { Static } from 'typebox'
import type { AttackMetadata } from '../api/metadata.ts'
import { allowedValues, flagName, paramSpecs, type ParamSpec } from './args.ts'
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

function describeArgument(spec: ParamSpec): Metadata['args'][number] {
  const { schema, flag, name } = spec
  return {
    name: schema.description ?? name,
    key: name,
    long: flag.long,
    short: flag.short,
    type: schema.type === 'boolean' ? 'Boolean' : 'Integer',
    multiple: false,
    required: false,
    advanced: false,
    default: schema.default,
    ...(schema.minimum === undefined ? {} : { minimum: schema.minimum }),
    ...(schema.maximum === undefined ? {} : { maximum: schema.maximum }),
    ...(schema.unit === undefined ? {} : { unit: schema.unit }),
    usage: usageOf(spec),
    info: `${schema.description ?? ''} Allowed: ${allowedValues(spec)}.`.trim(),
  }
}

function usageOf({ flag, schema }: ParamSpec): string {
  return schema.type === 'boolean' ? flagName(flag) : `${flagName(flag)} <${schema.unit ?? 'n'}>`
}
