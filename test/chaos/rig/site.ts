import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { exitCodes } from '../../../agent/cli/exit-codes.ts'
import type { JournalEntry } from '../../../agent/journal.ts'
import type { Bounds, Host, JournalState } from '../history.ts'
import { partsOf, type Ways } from '../plan.ts'
import { ownNetwork, type Network } from './network.ts'
import { createPart, type PartProcess } from './part.ts'
import { addPoweredRedis, addRedis, stopSyncing } from './redis.ts'
import { startRelay, type Relay } from './relay.ts'
import { makeTeams, type TestTeam } from './teams.ts'
import { startWitness, type Witness } from './witness.ts'

const preload = path.resolve(import.meta.dirname, '../agent/preload.ts')
const controllerMain = path.resolve(import.meta.dirname, '../../../controller/main.ts')
const agentMain = path.resolve(import.meta.dirname, '../../../agent/main.ts')

export const timing = { heartbeatMs: 500, leaseMs: 1_500, deadManMs: 3_000 }
/** What the agent adds to its dead-man: it looks once a second. */
export const bounds: Bounds = {
  leaseMs: timing.leaseMs,
  deadManMs: timing.deadManMs + 1_000,
  reachMs: 3_500,
  slackMs: 1_500,
}

/** Who died although nobody had killed it, and when it could be seen again. */
export interface SiteListener {
  /** A part is started again; `whenReady` says when it does its work. */
  away(part: string, untilReady: Promise<void>): void
  died(part: string, code: number | null): void
}

/** Redis, controllers and hosts of two teams, each a real process, with relays on the ways between. */
export interface Site {
  readonly hosts: readonly Host[]
  readonly teams: ReadonlyMap<string, TestTeam>
  readonly witness: Witness
  readonly parts: ReadonlyMap<string, PartProcess>
  readonly relays: ReadonlyMap<string, Relay>
  /** Of namespaces, when the run has one. */
  readonly network: Network | undefined
  /** Addresses of the API of the controllers that are alive. */
  apis(): string[]
  /** The address of one of them; undefined when it is not there. */
  apiOf(controller: string): string | undefined
  /** From now on this host's agent comes to this controller; without one, to any. */
  steer(host: string, controller: string | undefined): void
  /** Starts a part that was killed, again and again until it is there. */
  revive(part: string): Promise<void>
  journals(): JournalState[]
  stop(): Promise<void>
}

interface SiteOptions {
  readonly dir: string
  readonly ways: Ways
  /** A fence that is cut out of the sources. */
  readonly without: string | undefined
  /** Redis has a machine of its own, whose power can be cut. */
  readonly isPowered: boolean
  readonly listener: SiteListener
}

export async function startSite(options: SiteOptions): Promise<Site> {
  const { dir, ways, without, isPowered, listener } = options
  const network = await ownNetwork(partsOf(ways))
  const listen = network ? '0.0.0.0' : '127.0.0.1'
  const witness = await startWitness(listen)
  const parts = new Map<string, PartProcess>()
  const relays = new Map<string, Relay>()
  const over = new AbortController()
  const revive = async (name: string): Promise<void> => {
    const part = parts.get(name) as PartProcess
    // A controller or an agent may find nobody yet to start with, and is started again.
    while (!over.signal.aborted && !part.isAlive) await part.start().catch(() => pause(200))
  }
  const add = (options_: Omit<Parameters<typeof createPart>[0], 'onDeath' | 'logFile'>) => {
    const { name } = options_
    const onDeath = (code: number | null) => {
      if (over.signal.aborted) return
      const wasReady = (parts.get(name) as PartProcess).ready !== undefined
      if (wasReady && code !== exitCodes.agentRefused) listener.died(name, code)
      listener.away(
        name,
        pause(500).then(() => revive(name)),
      )
    }
    const logFile = path.join(dir, `${name.replace(':', '-')}.log`)
    const part = createPart({ ...options_, logFile, onDeath })
    parts.set(name, part)
    return part
  }
  const redis = isPowered ? await addPoweredRedis(dir, add) : await addRedis(dir, add)
  const keyFile = path.join(dir, 'keys.json')
  const made = await makeTeams(redis.url, keyFile, ['red', 'blue'])
  if (without === 'fsync') await stopSyncing(redis.url)
  const teams = new Map(made.map((team) => [team.name, team]))
  const common = without ? { TEMBLOR_CHAOS_WITHOUT: without } : {}
  /** Where the middle is for this part, and how its program is run there. */
  const placeOf = (name: string) => ({
    middle: network?.middleOf(name) ?? '127.0.0.1',
    listen: network?.addressOf(name) ?? '127.0.0.1',
    command: (...args: string[]) => {
      const [program = '', ...rest] = [...(network?.inside(name) ?? []), process.execPath, ...args]
      return { program, args: rest }
    },
  })
  for (const name of ways.controllers) {
    const relay = await startRelay(() => redis.place, listen)
    const place = placeOf(name)
    relays.set(`redis-link:${name}`, relay)
    const part = add({
      name: `controller:${name}`,
      ...place.command('--import', preload, controllerMain),
      env: {
        ...common,
        ...controllerEnv(dir, keyFile, `${place.middle}:${relay.port}`),
        TEMBLOR_LISTEN: place.listen,
        ...(network ? { TEMBLOR_INSECURE: 'yes' } : {}),
      },
    })
    await part.start()
  }
  const doorsOf = (name?: string) =>
    controllersOf(parts, name).map((part) => ({
      ...(part.ready as Omit<Doors, 'address'>),
      address: placeOf(part.name.slice('controller:'.length)).listen,
    }))
  const steered = new Map<string, string>()
  let turn = 0
  const doorFor = (host: string) => {
    const open = doorsOf(steered.get(host))
    const door = open[(turn += 1) % open.length]
    return door && { port: door.grpcPort, host: door.address }
  }
  await Promise.all(
    ways.hosts.map(async ({ name, team }) => {
      const relay = await startRelay(() => doorFor(name), listen)
      const place = placeOf(name)
      const join = teams.get(team)?.joinAt(`${place.middle}:${relay.port}`) ?? ''
      relays.set(`link:${name}`, relay)
      const part = add({
        name: `agent:${name}`,
        ...place.command('--import', preload, agentMain),
        env: {
          ...common,
          ...agentEnv(dir, name, join),
          TEMBLOR_CHAOS_WITNESS: `${place.middle}/${witness.port}`,
        },
      })
      await part.start()
    }),
  )
  return {
    hosts: ways.hosts,
    teams,
    witness,
    parts,
    relays,
    network,
    revive,
    apis: () => doorsOf().map(apiAt),
    apiOf: (controller) => doorsOf(controller).map(apiAt)[0],
    steer(host, controller) {
      if (controller === undefined) steered.delete(host)
      else steered.set(host, controller)
    },
    journals: () => ways.hosts.flatMap(({ name }) => readJournal(dir, name)),
    async stop() {
      over.abort()
      for (const relay of relays.values()) relay.heal()
      for (const kind of ['agent', 'controller', 'redis'])
        await Promise.all(
          [...parts.values()].filter(({ name }) => name.startsWith(kind)).map((one) => one.stop()),
        )
      for (const relay of relays.values()) relay.close()
      witness.close()
    },
  }
}

function controllerEnv(dir: string, keyFile: string, redisAddress: string): NodeJS.ProcessEnv {
  return {
    TEMBLOR_DATA_DIR: dir,
    TEMBLOR_KEY_FILE: keyFile,
    TEMBLOR_REDIS_URL: `redis://${redisAddress}`,
    TEMBLOR_HTTP_PORT: '0',
    TEMBLOR_GRPC_PORT: '0',
    TEMBLOR_HEARTBEAT_MS: String(timing.heartbeatMs),
    TEMBLOR_DEAD_MAN_MS: String(timing.deadManMs),
    TEMBLOR_LOG_LEVEL: 'info',
  }
}

function agentEnv(dir: string, name: string, join: string): NodeJS.ProcessEnv {
  return {
    TEMBLOR_AGENT_DIR: path.join(dir, name),
    TEMBLOR_IDENTIFIER: name,
    TEMBLOR_JOIN: join,
    TEMBLOR_DOCKER_SOCKET: path.join(dir, 'no-engine.sock'),
    TEMBLOR_LOG_LEVEL: 'info',
  }
}

interface Doors {
  readonly address: string
  readonly httpPort: number
  readonly grpcPort: number
}

const apiAt = ({ address, httpPort }: Doors) => `http://${address}:${httpPort}`

/** The controllers that are there: all, or this one. */
function controllersOf(parts: ReadonlyMap<string, PartProcess>, name = ''): PartProcess[] {
  return [...parts.values()].filter(
    (part) => part.name.startsWith(`controller:${name}`) && part.isAlive && part.ready,
  )
}

function readJournal(dir: string, host: string): JournalState[] {
  const folder = path.join(dir, host, 'journal')
  return readdirSync(folder).map((name) => {
    if (!name.endsWith('.json')) return { host, execution: name, state: 'unreadable' }
    const entry = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as JournalEntry
    return { host, execution: entry.executionId, state: entry.state }
  })
}

async function pause(ms: number): Promise<void> {
  await new Promise((done) => {
    setTimeout(done, ms)
  })
}
