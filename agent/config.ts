import { readFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { attackTypeNames } from '../shared/attacks/index.ts'
import { parseJoinLine, type JoinLine } from '../shared/join-line.ts'
import { nearest } from '../shared/nearest.ts'
import { noLimits, type OwnerLimits } from './owner-limits.ts'
import { PlainError } from './plain-error.ts'

/** Settings that cannot be; the message names every one, its value and what is allowed. */
export class ConfigError extends PlainError {
  override readonly name = 'ConfigError'
}

/** The settings of an agent, checked once at its start. */
export interface AgentConfig {
  /** undefined when the agent has joined already (or never will: local attacks only). */
  readonly join: JoinLine | undefined
  /** Instance id, certificate, journal and control socket. */
  readonly stateDir: string
  /** The name under which the host is targeted. */
  readonly identifier: string
  readonly tags: Readonly<Record<string, string>>
  readonly limits: OwnerLimits
  readonly dockerSocket: string
  readonly logLevel: string
}

/** What a variable may hold, as a pattern and in words. */
interface Rule {
  readonly pattern?: RegExp
  readonly maximum?: number
  readonly allowed: string
}

const count = (maximum: number): Rule => ({
  pattern: /^[1-9]\d{0,8}$/,
  maximum,
  allowed: `a whole number from 1 to ${maximum}`,
})
const oneOf = (words: readonly string[]) => `(${words.join('|')})`
const word = String.raw`[A-Za-z0-9_.:/-]{1,64}`
const attackType = oneOf(attackTypeNames)
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * Every variable; the owner's file has the same keys. Plain patterns: a library of schemas would
 * cost an agent at rest more memory than everything else that it checks.
 */
const rules = {
  TEMBLOR_JOIN: { allowed: 'the join line that the controller printed' },
  TEMBLOR_AGENT_DIR: { allowed: 'a folder' },
  TEMBLOR_IDENTIFIER: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
    allowed: 'letters, digits and . _ : -, at most 128',
  },
  TEMBLOR_TAGS: {
    pattern: new RegExp(`^${word}=[^,=]{1,256}(,${word}=[^,=]{1,256})*$`),
    allowed: 'tags such as zone=us-east1,role=mysql',
  },
  TEMBLOR_ALLOW_ATTACKS: {
    pattern: new RegExp(`^(none|${attackType}(,${attackType})*)$`),
    allowed: `none, or a list of: ${attackTypeNames.join(', ')}`,
  },
  TEMBLOR_MAX_LENGTH_SECONDS: count(31_449_600),
  TEMBLOR_MAX_PERCENT: count(100),
  TEMBLOR_MAX_CONTAINERS: count(100_000),
  TEMBLOR_FORBID_SHUTDOWN: { pattern: /^(yes|no|true|false)$/, allowed: 'yes or no' },
  TEMBLOR_DOCKER_SOCKET: { pattern: /^\/./, allowed: 'an absolute path' },
  DOCKER_HOST: {
    pattern: /^unix:\/\/\/./,
    allowed:
      'unix:///path/to/docker.sock (containers are entered through this host); set TEMBLOR_DOCKER_SOCKET to use another engine than your docker client',
  },
  TEMBLOR_LOG_LEVEL: {
    pattern: new RegExp(`^${oneOf(logLevels)}$`),
    allowed: logLevels.join(', '),
  },
} satisfies Record<string, Rule>
type Name = keyof typeof rules
type Values = Partial<Record<Name, string>>

const names = Object.keys(rules) as Name[]
const ownerFile = '/etc/temblor/agent.json'
const defaultDockerSocket = '/var/run/docker.sock'

/**
 * Reads the settings from the environment and the owner's file. The environment wins, except for the
 * owner's limits: there the stricter of the two holds.
 * @throws ConfigError with every fault in one message: the variable, its value, what is allowed
 */
export function readConfig(env: NodeJS.ProcessEnv): AgentConfig {
  const faults: string[] = []
  const file = readOwnerFile(env['TEMBLOR_AGENT_CONFIG'], faults)
  const fromEnv = Object.fromEntries(
    names.map((name) => [name, env[name]]).filter(([, value]) => value),
  ) as Values
  if (fromEnv.TEMBLOR_DOCKER_SOCKET ?? file.TEMBLOR_DOCKER_SOCKET) delete fromEnv.DOCKER_HOST
  checkAll(fromEnv, '', faults)
  checkAll(file, ` in ${env['TEMBLOR_AGENT_CONFIG'] || ownerFile}`, faults)
  const values: Values = { ...file, ...fromEnv }
  const joined = readJoin(values.TEMBLOR_JOIN, faults)
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return {
    join: joined,
    stateDir: values.TEMBLOR_AGENT_DIR ?? defaultStateDir(),
    identifier: values.TEMBLOR_IDENTIFIER ?? hostname(),
    tags: readTags(values.TEMBLOR_TAGS),
    limits: stricter(readLimits(file), readLimits(fromEnv)),
    dockerSocket:
      values.TEMBLOR_DOCKER_SOCKET ??
      values.DOCKER_HOST?.replace('unix://', '') ??
      defaultDockerSocket,
    logLevel: values.TEMBLOR_LOG_LEVEL ?? 'info',
  }
}

/** The limits of which both hold. */
export function stricter(a: OwnerLimits, b: OwnerLimits): OwnerLimits {
  return {
    attackTypes: a.attackTypes
      ? a.attackTypes.filter((type) => b.attackTypes?.includes(type) ?? true)
      : b.attackTypes,
    maxLengthSeconds: least(a.maxLengthSeconds, b.maxLengthSeconds),
    maxPercent: least(a.maxPercent, b.maxPercent),
    maxContainers: least(a.maxContainers, b.maxContainers),
    shutdownForbidden: a.shutdownForbidden || b.shutdownForbidden,
  }
}

/** Lists, numbers, switches and tag maps of the file become what the variables hold. */
function readOwnerFile(path: string | undefined, faults: string[]): Values {
  try {
    const values = JSON.parse(readFileSync(path || ownerFile, 'utf8')) as Record<string, unknown>
    for (const name of Object.keys(values)) {
      if (names.includes(name as Name)) continue
      const near = nearest(name, names)
      faults.push(
        `${path || ownerFile} has an unknown key "${name}".${near ? ` Did you mean ${near}?` : ''}`,
      )
    }
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, asText(value)]))
  } catch (error) {
    const isOptional = !path && (error as NodeJS.ErrnoException).code === 'ENOENT'
    // The owner's limits must not vanish because their file cannot be read.
    if (!isOptional) faults.push(`${path || ownerFile}: ${(error as Error).message}`)
    return {}
  }
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(',') : 'none'
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, text]) => `${key}=${text}`)
    .join(',')
}

function checkAll(values: Values, where: string, faults: string[]): void {
  for (const name of names) {
    const value = values[name]
    if (value === undefined || name === 'TEMBLOR_JOIN') continue
    const { pattern = /^/, maximum = Infinity, allowed }: Rule = rules[name]
    if (pattern.test(value) && !(Number(value) > maximum)) continue
    faults.push(`${name}${where} cannot be "${value}". Allowed: ${allowed}.`)
  }
}

function readJoin(line: string | undefined, faults: string[]): JoinLine | undefined {
  try {
    return line ? parseJoinLine(line) : undefined
  } catch (error) {
    // The line holds a secret and is not repeated.
    faults.push(`TEMBLOR_JOIN: ${(error as Error).message}`)
    return undefined
  }
}

function readTags(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
}

function readLimits(values: Values): OwnerLimits {
  const allow = values.TEMBLOR_ALLOW_ATTACKS
  return {
    ...noLimits,
    attackTypes: allow === 'none' ? [] : allow?.split(','),
    maxLengthSeconds: asNumber(values.TEMBLOR_MAX_LENGTH_SECONDS),
    maxPercent: asNumber(values.TEMBLOR_MAX_PERCENT),
    maxContainers: asNumber(values.TEMBLOR_MAX_CONTAINERS),
    shutdownForbidden: ['yes', 'true'].includes(values.TEMBLOR_FORBID_SHUTDOWN ?? ''),
  }
}

function asNumber(text: string | undefined): number | undefined {
  return text ? Number(text) : undefined
}

function least(x: number | undefined, y: number | undefined): number | undefined {
  return x === undefined ? y : Math.min(x, y ?? x)
}

function defaultStateDir(): string {
  if (process.getuid?.() === 0) return '/var/lib/temblor'
  return join(homedir(), '.local/state/temblor')
}
