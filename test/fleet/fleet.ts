import { randomUUID } from 'node:crypto'
import type { Identity } from './identities.ts'
import { type AgentWatch, VirtualAgent } from './virtual-agent.ts'
import { inventoryOf } from './virtual-host.ts'
import type { FleetTarget } from './wire.ts'

export interface FleetOptions {
  readonly target: FleetTarget
  readonly identities: readonly Identity[]
  /** On each host. */
  readonly containers: number
  /** How often figures of each running execution are sent, in ms; 0 for never. */
  readonly figuresMs: number
  /** How many agents connect in a second at the start. */
  readonly perSecond: number
  readonly watch?: AgentWatch
}

/** What has happened to a fleet. */
export interface FleetCounts {
  connected: number
  attempts: number
  welcomes: number
  runs: number
  halts: number
  /** Losses by what was said. */
  readonly losses: Map<string, number>
}

export interface Fleet {
  readonly agents: readonly VirtualAgent[]
  readonly counts: FleetCounts
  /** Resolves when so many have been connected at once; all of them unless another number is given. */
  untilConnected(count?: number): Promise<void>
  /** Ends all sessions in order. */
  close(): Promise<void>
}

/** Ended so many at a time, so that a controller is not flooded by goodbyes. */
const closedAtOnce = 200

/** Starts the agents of a fleet in this process. Each connects by itself, again and again. */
export function startFleet(options: FleetOptions): Fleet {
  const { target, identities, containers, figuresMs, perSecond } = options
  const counts: FleetCounts = {
    connected: 0,
    attempts: 0,
    welcomes: 0,
    runs: 0,
    halts: 0,
    losses: new Map(),
  }
  const waiting = new Map<() => void, number>()
  const watch = counting(counts, options.watch ?? {}, () => {
    for (const [resolve, count] of waiting)
      if (counts.connected >= count && waiting.delete(resolve)) resolve()
  })
  const agents = identities.map((identity) => {
    const inventory = inventoryOf(identity.identifier, identity.index, containers)
    const about = { target, identity, inventory, figuresMs, watch }
    return new VirtualAgent({ ...about, bootId: randomUUID() })
  })
  const windowMs = (agents.length / perSecond) * 1000
  for (const agent of agents) agent.start(Math.random() * windowMs)
  return {
    agents,
    counts,
    async untilConnected(count = agents.length) {
      if (counts.connected < count)
        await new Promise<void>((resolve) => waiting.set(resolve, count))
    },
    async close() {
      for (let from = 0; from < agents.length; from += closedAtOnce)
        await Promise.all(agents.slice(from, from + closedAtOnce).map((agent) => agent.close()))
    },
  }
}

/** Counts what a watch sees. */
function counting(counts: FleetCounts, watch: AgentWatch, onWelcome: () => void): AgentWatch {
  return {
    connecting(agent) {
      counts.attempts += 1
      watch.connecting?.(agent)
    },
    welcomed(agent) {
      counts.welcomes += 1
      counts.connected += 1
      watch.welcomed?.(agent)
      onWelcome()
    },
    lost(agent, why, delayMs, wasConnected) {
      if (wasConnected) counts.connected -= 1
      counts.losses.set(why, (counts.losses.get(why) ?? 0) + 1)
      watch.lost?.(agent, why, delayMs, wasConnected)
    },
    ordered(agent, kind, command) {
      if (kind === 'run') counts.runs += 1
      else counts.halts += 1
      watch.ordered?.(agent, kind, command)
    },
  }
}
