import { setTimeout as sleep } from 'node:timers/promises'
import { openAuthority } from '../../controller/agents/authority.ts'
import { readKeyFile } from '../../controller/auth/key-file.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type FleetNames, issueIdentities, plainIdentities } from './identities.ts'
import { machineNowMs } from './machine-clock.ts'
import { answerParent } from './questions.ts'

/** A fleet in a process of its own, moved by its parent. Times are those of the machine's clock. */
export interface FleetOrder extends FleetNames {
  readonly port: number
  /** Whose authority the agents have their certificates of; undefined without TLS. */
  readonly keyFile: string | undefined
  readonly perSecond: number
  readonly figuresMs: number
}

let fleet: Fleet | undefined
/** Agents that were welcomed since the begin, and when. */
const welcomedAtMs = new Map<number, number>()
/** When the agents had each order since the begin, by kind and execution. */
const ordered = { run: new Map<string, number>(), halt: new Map<string, number>() }
/** When an agent first had an attack's order. */
const attackAtMs = new Map<string, number>()
const pollMs = 5

const answers = {
  async start({ port, keyFile, perSecond, figuresMs, ...names }: FleetOrder) {
    const key = keyFile === undefined ? undefined : readKeyFile(keyFile)
    const identities = key
      ? await issueIdentities(names, await openAuthority(key))
      : plainIdentities(names)
    answers.begin()
    fleet = startFleet({
      target: { host: '127.0.0.1', port, caPem: key?.caCertificatePem },
      identities,
      containers: 1,
      figuresMs,
      perSecond,
      watch: {
        welcomed: ({ identity }) => {
          if (!welcomedAtMs.has(identity.index)) welcomedAtMs.set(identity.index, machineNowMs())
        },
        ordered(_, kind, { executionId, attackId }) {
          const now = machineNowMs()
          if (!ordered[kind].has(executionId)) ordered[kind].set(executionId, now)
          if (kind === 'run' && !attackAtMs.has(attackId)) attackAtMs.set(attackId, now)
        },
      },
    })
  },
  /** Forgets what was seen. */
  begin() {
    welcomedAtMs.clear()
    ordered.run.clear()
    ordered.halt.clear()
    attackAtMs.clear()
  },
  /** Waits until so many agents were welcomed since the begin; when each of them was. */
  async untilWelcomed({ count, withinMs }: { count: number; withinMs: number }) {
    await until(`${count} agents are welcomed`, () => welcomedAtMs.size >= count, withinMs)
    return [...welcomedAtMs.values()]
  },
  /** Waits until so many different executions were ordered so since the begin; when each was. */
  async untilOrdered({ kind, count, withinMs }: OrderCount) {
    const seen = ordered[kind]
    await until(`${count} orders to ${kind} are there`, () => seen.size >= count, withinMs)
    return [...seen.values()]
  },
  /** Waits until nothing runs. */
  untilIdle: (withinMs: number) =>
    until('nothing runs', () => fleet?.agents.every((one) => one.runningCount === 0), withinMs),
  attacks: () => [...attackAtMs],
  async stop() {
    await fleet?.close()
    fleet = undefined
  },
}
export type FleetAnswers = typeof answers

export interface OrderCount {
  readonly kind: 'run' | 'halt'
  readonly count: number
  readonly withinMs: number
}

async function until(what: string, is: () => unknown, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!is()) {
    if (performance.now() > deadline) {
      const { connected, losses } = fleet?.counts ?? {}
      const said = [...(losses ?? [])].slice(-3).map(([why, count]) => `${why} (${count})`)
      throw new Error(
        `Not within ${withinMs / 1000} s: ${what}; ${connected} connected. ${said.join(', ')}`,
      )
    }
    await sleep(pollMs)
  }
}

process.send?.({ ready: true })
answerParent(answers)
process.once('SIGTERM', () => process.exit())
process.once('disconnect', () => process.exit())
