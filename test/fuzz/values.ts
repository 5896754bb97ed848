import { attackTypeNames } from '../../shared/attacks/index.ts'
import type { Random } from './random.ts'

/** As much of JSON Schema as the OpenAPI document uses. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}

/** Words that mean something here, so that values are near to good ones. */
const words = [
  ...attackTypeNames,
  'Random',
  'Exact',
  'all',
  'zone',
  'app',
  'web',
  'web-1',
  '-l',
  '--length',
  '-p',
  '1',
  '60',
  '100',
  '-a',
  '-i',
  '10.0.0.0/8',
  '^::1,10.0.0.1',
  '-h',
  '^api.gremlin.com',
  '8080-8085,^53',
  '',
]

const mapKeys = ['zone', 'app', 'os-type', 'constructor', 'toString', 'hasOwnProperty', '', 'a.b']

const byType: Record<string, (random: Random, schema: Schema) => unknown> = {
  object: fittingObject,
  array: (random, { items = {} }) =>
    Array.from({ length: random.int(0, 3) }, () => fitting(random, items)),
  string: (random) => random.pick(words),
  integer: (random, { minimum = 0, maximum = 10 }) => random.int(minimum, maximum),
  number: (random, { maximum = 100 }) => random.next() * maximum,
  boolean: (random) => random.chance(0.5),
  null: () => null,
  any: (random) => random.pick([1, 'x', null, [], {}, true]),
}

/** A value as the schema wants it, more or less. */
export function fitting(random: Random, schema: Schema): unknown {
  if (schema.examples && random.chance(0.5)) return random.pick(schema.examples)
  if (schema.enum) return random.pick(schema.enum)
  if ('const' in schema) return schema.const
  if (schema.anyOf) return fitting(random, random.pick(schema.anyOf))
  return byType[schema.type ?? 'any']?.(random, schema)
}

function fittingObject(random: Random, schema: Schema): Record<string, unknown> {
  const required = schema.required ?? []
  const entries = Object.entries(schema.properties ?? {})
    .filter(([key]) => required.includes(key) || random.chance(0.3))
    .map(([key, one]) => [key, fitting(random, one)] as const)
  const rest = schema.additionalProperties
  const more = typeof rest === 'object' ? random.int(0, 2) : 0
  for (let at = 0; at < more; at += 1)
    entries.push([random.pick(mapKeys), fitting(random, rest as Schema)])
  return Object.fromEntries(entries)
}

const long = (text: string, times: number) => text.repeat(times)

/** What no client means well. */
const hostileTexts = [
  '',
  ' ',
  '\0',
  '\u200b',
  '\ud800',
  '\u202e\u0000\uffff',
  'ﷺ🐌é',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '%00',
  '%zz',
  '{t:x}',
  '*',
  "' or 1=1 --",
  '${7*7}',
  '\r\nX-Injected: 1',
  'NaN',
  '-0',
  '1e999',
  '0x10',
  '9'.repeat(400),
  '99999999999999999999-99999999999999999999',
  '18446744073709551615-18446744073709551615',
  '0-0',
  'a,,b',
  '$(reboot)',
  '{ 80 } accept; drop',
  'fe80::1%eth0',
  long('a', 300),
  long('a', 5_000),
  long('é', 20_000),
] as const

/** A text that no client means well. */
export function hostileText(random: Random): string {
  return random.pick(hostileTexts)
}

/** A value that no client means well. */
export function hostile(random: Random): unknown {
  return random.pick<() => unknown>([
    () => hostileText(random),
    () => random.pick([0, -1, 1.5, -0, 1e308, 2 ** 53 + 1, -(2 ** 63), 4e9]),
    () => null,
    () => random.chance(0.5),
    () => nested(random.int(10, 5_000)),
    () => Array.from({ length: random.int(500, 3_000) }, () => 'x'),
    () => Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, at])),
    () => ({ [hostileText(random)]: hostileText(random) }),
    () => [],
    () => ({}),
    () => [[[]], [null], {}],
  ])()
}

/** Lists in lists, as deep as this. `JSON.stringify` could not write it from a value. */
class Nested {
  readonly depth: number
  constructor(depth: number) {
    this.depth = depth
  }
  toJSON(): string {
    return `@nested${this.depth}@`
  }
}
const nested = (depth: number) => new Nested(depth)

/** Somewhere in this value something else stands. */
export function spoil(random: Random, value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15 + depth / 10))
    return hostile(random)
  if (Array.isArray(value)) {
    const at = random.int(0, value.length)
    return value.toSpliced(at, random.int(0, 1), spoil(random, value[at], depth + 1))
  }
  const keys = Object.keys(value)
  if (keys.length === 0 || random.chance(0.15))
    return { ...value, [hostileText(random)]: hostile(random) }
  const key = random.pick(keys)
  const { [key]: one, ...others } = value as Record<string, unknown>
  return random.chance(0.2) ? others : { ...others, [key]: spoil(random, one, depth + 1) }
}

/** JSON text of such a value, sometimes with every kind of fault that text can have. */
export function jsonText(random: Random, value: unknown, faults: number): string {
  const text = (JSON.stringify(value) ?? 'null').replaceAll(
    /"@nested(\d+)@"/g,
    (_, depth: string) => long('[', Number(depth)) + long(']', Number(depth)),
  )
  if (!random.chance(faults)) return text
  return random.pick([
    () => text.slice(0, random.int(0, text.length)),
    () => `${text}${text}`,
    () => text.replace('{', '{"command":1,'),
    () => text.replace('{', '{"__proto__":{"x":1},'),
    () => text.replaceAll('"', "'"),
    () => `\uFEFF${text}`,
    () => text.replace(/\d+/, '1e99999'),
    () => `/* */${text}`,
    () => long('{"a":', 20_000),
    () => text.replace('"', '"\\ud800'),
  ])()
}
