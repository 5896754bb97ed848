import type { AttackParams } from './index.ts'
import type { AttackType, Flag } from './define.ts'
import { nearest } from '../nearest.ts'

/** A flag or value that the attack type does not accept; the message says what is allowed. */
export class ArgsError extends Error {
  readonly details: { flag?: string; value?: string; allowed: string; nearest?: string }
  constructor(message: string, details: ArgsError['details']) {
    super(message)
    this.name = 'ArgsError'
    this.details = details
  }
}

interface ParamSchema {
  readonly type: 'integer' | 'boolean'
  readonly default: number | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly unit?: string
  readonly description?: string
}

/** One parameter with the flag that sets it, as the codec, the CLI help and the docs need it. */
export interface ParamSpec {
  readonly name: string
  readonly flag: Flag
  readonly schema: ParamSchema
}

/** The parameters of an attack type in the order of their definition. */
export function paramSpecs(type: AttackType): ParamSpec[] {
  return Object.entries(type.params.properties).map(([name, schema]) => ({
    name,
    flag: (type.flags as Record<string, Flag>)[name] as Flag,
    schema: schema as unknown as ParamSchema,
  }))
}

/** A flag as people write it: `-l/--length`. */
export function flagName(flag: Flag): string {
  return `-${flag.short}/--${flag.long}`
}

/** What a parameter accepts, in words: `a whole number from 1 to 100 (%)`. */
export function allowedValues(spec: ParamSpec): string {
  if (spec.schema.type === 'boolean') return 'no value, or true or false after "="'
  const unit = spec.schema.unit ? ` (${spec.schema.unit})` : ''
  return `a whole number from ${spec.schema.minimum} to ${spec.schema.maximum}${unit}`
}

/**
 * Reads command-line arguments into checked parameters, defaults filled in. Accepts `-l 60`, `-l60`,
 * `--length 60`, `--length=60`, and `_` for `-` in long names.
 * @throws ArgsError naming the flag, the value and what is allowed
 */
export function parseArgs(type: AttackType, args: readonly string[]): AttackParams {
  const specs = paramSpecs(type)
  const given = new Map<string, number | boolean>()
  for (let i = 0; i < args.length; i += 1) {
    const token = splitToken(type, specs, args[i] as string)
    let value = token.value
    if (value === undefined && token.spec.schema.type !== 'boolean') {
      value = args[i + 1]
      if (value === undefined || looksLikeFlag(value)) throw missingValue(token.spec)
      i += 1
    }
    if (given.has(token.spec.name)) throw givenTwice(token.spec, value)
    given.set(token.spec.name, readValue(token.spec, value))
  }
  refuseConflicts(type, specs, given)
  return Object.fromEntries(specs.map((s) => [s.name, given.get(s.name) ?? s.schema.default]))
}

/** Writes parameters as arguments that `parseArgs` reads back; defaults are left out. */
export function formatArgs(type: AttackType, params: AttackParams): string[] {
  return paramSpecs(type).flatMap(({ name, flag, schema }) => {
    const value = params[name]
    if (value === undefined || value === schema.default) return []
    return schema.type === 'boolean' ? [`--${flag.long}`] : [`--${flag.long}`, String(value)]
  })
}

/**
 * Checks parameters that arrive as an object (at the agent) against the same definition.
 * @throws ArgsError when one is missing, of another type or out of range
 */
export function checkParams(type: AttackType, params: unknown): AttackParams {
  const object = (params ?? {}) as Record<string, unknown>
  const checked: AttackParams = {}
  for (const spec of paramSpecs(type)) {
    const value = object[spec.name]
    if (typeof value !== (spec.schema.type === 'boolean' ? 'boolean' : 'number'))
      throw badValue(spec, String(value))
    checked[spec.name] =
      typeof value === 'number' ? inRange(spec, value, String(value)) : (value as boolean)
  }
  return checked
}

function splitToken(
  type: AttackType,
  specs: ParamSpec[],
  token: string,
): { spec: ParamSpec; value: string | undefined } {
  if (token.startsWith('--')) {
    const [name = '', ...rest] = token.slice(2).split('=')
    const long = name.replaceAll('_', '-')
    const spec = specs.find((s) => s.flag.long === long)
    if (!spec) throw unknownFlag(type, specs, `--${name}`)
    return { spec, value: token.includes('=') ? rest.join('=') : undefined }
  }
  if (/^-[^-]/.test(token)) {
    const spec = specs.find((s) => s.flag.short === token[1])
    const rest = token.slice(2)
    if (!spec || (spec.schema.type === 'boolean' && rest && !rest.startsWith('=')))
      throw unknownFlag(type, specs, token)
    return { spec, value: rest ? rest.replace(/^=/, '') : undefined }
  }
  throw new ArgsError(
    `"${token}" is not a flag. ${type.type} takes ${flagList(specs)}; give each value after its flag.`,
    { value: token, allowed: flagList(specs) },
  )
}

/** `-5` is a (bad) value, `-p` and `--percent` are flags. */
function looksLikeFlag(token: string): boolean {
  return /^--?[A-Za-z]/.test(token)
}

function readValue(spec: ParamSpec, text: string | undefined): number | boolean {
  if (spec.schema.type === 'boolean') {
    if (text === undefined || text.toLowerCase() === 'true') return true
    if (text.toLowerCase() === 'false') return false
    throw badValue(spec, text)
  }
  if (text === undefined || !/^[+-]?\d{1,15}$/.test(text)) throw badValue(spec, text ?? '')
  return inRange(spec, Number(text), text)
}

function inRange(spec: ParamSpec, value: number, text: string): number {
  const { minimum = -Infinity, maximum = Infinity } = spec.schema
  if (!Number.isInteger(value) || value < minimum || value > maximum) throw badValue(spec, text)
  return value
}

function refuseConflicts(type: AttackType, specs: ParamSpec[], given: Map<string, unknown>): void {
  const isOn = (name: string) => given.has(name) && given.get(name) !== false
  for (const [a, b] of type.conflicts) {
    if (!isOn(a) || !isOn(b)) continue
    const flag = (name: string) => flagName((specs.find((s) => s.name === name) as ParamSpec).flag)
    throw new ArgsError(`${flag(a)} and ${flag(b)} contradict each other. Give one of them.`, {
      flag: flag(a),
      allowed: `either ${flag(a)} or ${flag(b)}`,
    })
  }
}

function flagList(specs: ParamSpec[]): string {
  return specs.map((s) => flagName(s.flag)).join(', ')
}

function unknownFlag(type: AttackType, specs: ParamSpec[], flag: string): ArgsError {
  const known = specs.map((s) => `--${s.flag.long}`)
  const near = nearest(flag.replaceAll('_', '-'), known)
  const hint = near ? ` Did you mean ${near}?` : ''
  return new ArgsError(`${type.type} has no flag ${flag}.${hint} It takes ${flagList(specs)}.`, {
    flag,
    allowed: flagList(specs),
    ...(near ? { nearest: near } : {}),
  })
}

function missingValue(spec: ParamSpec): ArgsError {
  const allowed = allowedValues(spec)
  return new ArgsError(`${flagName(spec.flag)} needs a value: ${allowed}.`, {
    flag: flagName(spec.flag),
    allowed,
  })
}

function givenTwice(spec: ParamSpec, value: string | undefined): ArgsError {
  const again = value === undefined ? '' : ` (again with "${value}")`
  return new ArgsError(`${flagName(spec.flag)} is given more than once${again}. Give it once.`, {
    flag: flagName(spec.flag),
    ...(value === undefined ? {} : { value }),
    allowed: 'once',
  })
}

function badValue(spec: ParamSpec, value: string): ArgsError {
  const allowed = allowedValues(spec)
  return new ArgsError(`${flagName(spec.flag)} cannot be "${value}". Allowed: ${allowed}.`, {
    flag: flagName(spec.flag),
    value,
    allowed,
  })
}
