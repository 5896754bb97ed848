import type { AttackParams } from './index.ts'
import type { AttackType, Flag, TargetKind } from './define.ts'
import { grammars } from './items.ts'
import type { ListParam, Param, ParamValue } from './params.ts'
import { printable, quoted, shortened } from './quoted.ts'
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

/** One parameter with the flag that sets it, as the codec, the CLI help and the docs need it. */
export interface ParamSpec {
  readonly name: string
  readonly flag: Flag
  readonly schema: Param
}

/** More items than this are an accident. */
export const maximumItems = 4096

/** The parameters of an attack type in the order of their definition. */
export function paramSpecs(type: AttackType): ParamSpec[] {
  return Object.entries(type.params).map(([name, schema]) => ({
    name,
    flag: type.flags[name] as Flag,
    schema,
  }))
}

/** A flag as people write it: `-l/--length`. */
export function flagName({ short, long }: Flag): string {
  return short === undefined ? `--${long}` : `-${short}/--${long}`
}

/** What stands for the value in usage lines: `s`, `address`; undefined for a switch. */
export function valueName({ schema }: ParamSpec): string | undefined {
  if (schema.type === 'boolean') return undefined
  return schema.type === 'list' ? grammars[schema.item].unit : schema.unit
}

/** The default as people read it; a list without one takes everything. */
export function defaultText({ schema }: ParamSpec): string {
  return schema.type === 'list' ? schema.default.join(',') || 'all' : String(schema.default)
}

/** What a parameter accepts, in words: `a whole number from 1 to 100 (%)`. */
export function allowedValues(spec: ParamSpec): string {
  const { schema } = spec
  if (schema.type === 'boolean') return 'no value, or true or false after "="'
  if (schema.type === 'list')
    return `${grammars[schema.item].words}; several separated by commas; ^ in front of one spares it`
  const unit = schema.unit ? ` (${schema.unit})` : ''
  return `a whole number from ${schema.minimum} to ${schema.maximum}${unit}`
}

/**
 * Reads command-line arguments into checked parameters, defaults filled in. Accepts `-l 60`, `-l60`,
 * `--length 60`, `--length=60`, and `_` for `-` in long names; lists also repeated and with commas.
 * @throws ArgsError naming the flag, the value and what is allowed
 */
export function parseArgs(type: AttackType, args: readonly string[]): AttackParams {
  const specs = paramSpecs(type)
  const given = new Map<string, ParamValue>()
  const lists = new Map<ParamSpec, string[]>()
  for (let i = 0; i < args.length; i += 1) {
    const token = splitToken(type, specs, args[i] as string)
    let value = token.value
    if (value === undefined && token.spec.schema.type !== 'boolean') {
      value = args[i + 1]
      if (value === undefined || looksLikeFlag(value)) throw missingValue(token.spec)
      i += 1
    }
    if (token.spec.schema.type === 'list') {
      const items = lists.get(token.spec) ?? []
      for (const item of (value ?? '').split(',')) items.push(item)
      lists.set(token.spec, items)
      continue
    }
    if (given.has(token.spec.name)) throw givenTwice(token.spec, value)
    given.set(token.spec.name, readValue(token.spec, value))
  }
  for (const [spec, items] of lists) given.set(spec.name, readItems(spec, items))
  refuseConflicts(type, specs, given)
  const params = Object.fromEntries(
    specs.map((s) => [s.name, given.get(s.name) ?? s.schema.default]),
  )
  refuseContradiction(type, specs, params)
  return params
}

/** Writes parameters as arguments that `parseArgs` reads back; defaults are left out. */
export function formatArgs(type: AttackType, params: AttackParams): string[] {
  return paramSpecs(type).flatMap(({ name, flag, schema }) => {
    const value = params[name]
    if (value === undefined || String(value) === String(schema.default)) return []
    return schema.type === 'boolean' ? [`--${flag.long}`] : [`--${flag.long}`, String(value)]
  })
}

/**
 * Checks parameters that arrive as an object (at the agent) against the same definition.
 * @throws ArgsError when one is missing, of another type or out of range
 */
export function checkParams(type: AttackType, params: unknown): AttackParams {
  const object = (params ?? {}) as Record<string, unknown>
  const specs = paramSpecs(type)
  const checked: AttackParams = {}
  for (const spec of specs) checked[spec.name] = checkValue(spec, object[spec.name])
  refuseContradiction(type, specs, checked)
  return checked
}

/**
 * Checks parameters against the kind of target that they are for.
 * @throws ArgsError when one has no meaning there
 */
export function checkForTarget(type: AttackType, params: AttackParams, target: TargetKind): void {
  const unfit = type.unfit?.(params as never, target)
  if (!unfit) return
  const spec = paramSpecs(type).find(({ name }) => name === unfit.param) as ParamSpec
  const flag = flagName(spec.flag)
  throw new ArgsError(`${flag}: ${unfit.message}`, { flag, allowed: unfit.message })
}

function checkValue(spec: ParamSpec, value: unknown): ParamValue {
  const { schema } = spec
  if (schema.type === 'integer' && typeof value === 'number')
    return inRange(spec, value, String(value))
  if (schema.type === 'boolean' && typeof value === 'boolean') return value
  if (
    schema.type === 'list' &&
    Array.isArray(value) &&
    value.every((one) => typeof one === 'string')
  )
    return readItems(spec, value)
  throw badValue(spec, String(value))
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
    `${quoted(token)} is not a flag. ${type.type} takes ${flagList(specs)}; give each value after its flag.`,
    { value: shortened(token), allowed: flagList(specs) },
  )
}

/** `-5` is a (bad) value, `-p` and `--percent` are flags. */
function looksLikeFlag(token: string): boolean {
  return /^--?[A-Za-z]/.test(token)
}

function readValue(spec: ParamSpec, text: string | undefined): ParamValue {
  if (spec.schema.type === 'boolean') {
    if (text === undefined || text.toLowerCase() === 'true') return true
    if (text.toLowerCase() === 'false') return false
    throw badValue(spec, text)
  }
  if (text === undefined || !/^[+-]?\d{1,15}$/.test(text)) throw badValue(spec, text ?? '')
  return inRange(spec, Number(text), text)
}

/** Items in their normal spelling, each once. */
function readItems(spec: ParamSpec, items: readonly string[]): string[] {
  const { item: kind, default: standard } = spec.schema as ListParam
  // No flag says "nothing" where the default is something.
  if (items.length === 0 && standard.length > 0) throw badValue(spec, '')
  if (items.length > maximumItems) throw tooManyItems(spec, items.length)
  const read = items.map((item) => {
    const isSpared = item.startsWith('^')
    const normal = grammars[kind].read(isSpared ? item.slice(1) : item)
    if (normal === undefined) throw badValue(spec, item)
    return isSpared ? `^${normal}` : normal
  })
  return [...new Set(read)]
}

function inRange(spec: ParamSpec, value: number, text: string): number {
  const { schema } = spec
  const { minimum, maximum } = schema.type === 'integer' ? schema : { minimum: 0, maximum: 0 }
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

function refuseContradiction(type: AttackType, specs: ParamSpec[], params: AttackParams): void {
  const found = type.contradiction?.(params as never)
  if (!found) return
  const [a, b] = found.params.map((name) =>
    flagName((specs.find((spec) => spec.name === name) as ParamSpec).flag),
  ) as [string, string]
  throw new ArgsError(`${a} and ${b} contradict each other. ${found.message}`, {
    flag: a,
    allowed: `either ${a} or ${b}`,
  })
}

function flagList(specs: ParamSpec[]): string {
  return specs.map((s) => flagName(s.flag)).join(', ')
}

function unknownFlag(type: AttackType, specs: ParamSpec[], flag: string): ArgsError {
  const known = specs.map((s) => `--${s.flag.long}`)
  const near = nearest(flag.replaceAll('_', '-'), known)
  const hint = near ? ` Did you mean ${near}?` : ''
  const message = `${type.type} has no flag ${printable(flag)}.${hint} It takes ${flagList(specs)}.`
  return new ArgsError(message, {
    flag: shortened(flag),
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
  const again = value === undefined ? '' : ` (again with ${quoted(value)})`
  return new ArgsError(`${flagName(spec.flag)} is given more than once${again}. Give it once.`, {
    flag: flagName(spec.flag),
    ...(value === undefined ? {} : { value: shortened(value) }),
    allowed: 'once',
  })
}

function tooManyItems(spec: ParamSpec, count: number): ArgsError {
  const [flag, allowed] = [flagName(spec.flag), `at most ${maximumItems} items`]
  return new ArgsError(`${flag} takes ${allowed}, not ${count}.`, { flag, allowed })
}

function badValue(spec: ParamSpec, value: string): ArgsError {
  const allowed = allowedValues(spec)
  return new ArgsError(`${flagName(spec.flag)} cannot be ${quoted(value)}. Allowed: ${allowed}.`, {
    flag: flagName(spec.flag),
    value: shortened(value),
    allowed,
  })
}
