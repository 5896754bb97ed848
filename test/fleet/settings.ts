import path from 'node:path'
import { parseArgs } from 'node:util'
import { caFingerprint, type KeyFile, readKeyFile } from '../../controller/auth/key-file.ts'
import { readLocalFile } from '../../deploy/local/local-file.ts'
import { type JoinLine, parseJoinLine } from '../../shared/join-line.ts'

/** What `npm run fleet` was asked for. */
export interface FleetSettings {
  readonly join: JoinLine
  readonly keyFile: KeyFile
  readonly name: string
  readonly agents: number
  readonly containers: number
  readonly perSecond: number
  readonly figuresMs: number
  /** The controller's process on this machine, to be watched. */
  readonly pid: number | undefined
  /** Undefined: until it is interrupted. */
  readonly seconds: number | undefined
}

export const usage = `usage: npm run fleet -- [options]
  --agents <n>        virtual agents, 1 to 50000 (1000)
  --join <line>       join line of the team; TEMBLOR_JOIN, else that of npm start in TEMBLOR_DATA_DIR
  --key-file <path>   key file of the controller; TEMBLOR_KEY_FILE, else keys.json in TEMBLOR_DATA_DIR
  --name <name>       starts the names of the hosts (fleet)
  --containers <n>    on each host, 0 to 1000 (2)
  --rate <n>          agents that connect in a second at the start, 1 to 10000 (100)
  --figures-ms <n>    how often figures of what runs are sent; 0 for never (1000, as real agents)
  --pid <n>           process of the controller on this machine, to show its memory and CPU
  --seconds <n>       how long; without it until Ctrl-C`

const text = { type: 'string' } as const

/** Reads the arguments. @throws Error that names the option, its value and what is allowed */
export function readFleetSettings(args: readonly string[], env: NodeJS.ProcessEnv): FleetSettings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      agents: { ...text, default: '1000' },
      join: text,
      'key-file': text,
      name: { ...text, default: 'fleet' },
      containers: { ...text, default: '2' },
      rate: { ...text, default: '100' },
      'figures-ms': { ...text, default: '1000' },
      pid: text,
      seconds: text,
    },
  })
  const dataDir = path.resolve(env['TEMBLOR_DATA_DIR'] || '.temblor')
  const line = values.join ?? (env['TEMBLOR_JOIN'] || readLocalFile(dataDir)?.join)
  if (!line) throw new Error(`No --join was given, and no npm start has left one in ${dataDir}.`)
  const join = parseJoinLine(line)
  const keyFile = readKeyFile(
    values['key-file'] ?? (env['TEMBLOR_KEY_FILE'] || path.join(dataDir, 'keys.json')),
  )
  if (caFingerprint(keyFile) !== join.caSha256)
    throw new Error(`${keyFile.path} is not the key file of the controller of this join line.`)
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/.test(values.name))
    throw new Error(`--name cannot be "${values.name}". Allowed: letters, digits and . _ -`)
  return {
    join,
    keyFile,
    name: values.name,
    agents: count('agents', values.agents, 1, 50_000),
    containers: count('containers', values.containers, 0, 1000),
    perSecond: count('rate', values.rate, 1, 10_000),
    figuresMs: count('figures-ms', values['figures-ms'], 0, 3_600_000),
    pid: values.pid === undefined ? undefined : count('pid', values.pid, 1, 2 ** 22),
    seconds: values.seconds === undefined ? undefined : count('seconds', values.seconds, 1, 1e6),
  }
}

function count(name: string, given: string, least: number, most: number): number {
  const value = /^\d{1,8}$/.test(given) ? Number(given) : Number.NaN
  if (value >= least && value <= most) return value
  throw new Error(
    `--${name} cannot be "${given}". Allowed: a whole number from ${least} to ${most}.`,
  )
}
