import type { Logger } from 'pino'
import type { Bells } from '../store/bells.ts'
import type { Hosts } from '../store/hosts.ts'

export interface ElsewhereDeps {
  readonly controllerId: string
  readonly bells: Bells
  readonly hosts: Pick<Hosts, 'controllersOf'>
  readonly logger: Logger
}

/** So many hosts are looked up at once. */
const lookUpLimit = 500

/** The way to agents that are connected to other controllers. Never throws; heartbeats make up for what fails. */
export interface Elsewhere {
  /** What is said in one turn goes out together. */
  deliverSoon(teamId: string, identifier: string): void
  cutOff(teamId: string, identifier: string, reason: string): void
  replaced(controllerId: string, teamId: string, identifier: string, epoch: number): void
}

/** Makes the way to other controllers' agents. */
export function createElsewhere(deps: ElsewhereDeps): Elsewhere {
  const waiting = new Map<string, Set<string>>()
  const quietly = (work: Promise<unknown>): void =>
    void work.catch((err: unknown) =>
      deps.logger.warn({ err }, 'another controller hears of it with the next heartbeat'),
    )
  const flush = (): void => {
    for (const [teamId, identifiers] of waiting) quietly(deliver(deps, teamId, [...identifiers]))
    waiting.clear()
  }
  return {
    deliverSoon(teamId, identifier) {
      if (waiting.size === 0) queueMicrotask(flush)
      waiting.set(teamId, (waiting.get(teamId) ?? new Set()).add(identifier))
    },
    cutOff: (teamId, identifier, reason) => quietly(cutOff(deps, teamId, identifier, reason)),
    replaced(controllerId, teamId, identifier, epoch) {
      if (controllerId === deps.controllerId) return
      quietly(deps.bells.ring(controllerId, { kind: 'replaced', teamId, identifier, epoch }))
    },
  }
}

async function deliver(
  { controllerId, bells, hosts }: ElsewhereDeps,
  teamId: string,
  identifiers: readonly string[],
): Promise<void> {
  for (let from = 0; from < identifiers.length; from += lookUpLimit) {
    const some = identifiers.slice(from, from + lookUpLimit)
    const controllers = await hosts.controllersOf(teamId, some)
    const byController = Map.groupBy(some, (_, index) => controllers[index] ?? controllerId)
    byController.delete(controllerId)
    const rings = [...byController].map(([id, theirs]) =>
      bells.ring(id, { kind: 'deliver', teamId, identifiers: theirs }),
    )
    await Promise.all(rings)
  }
}

async function cutOff(
  { controllerId, bells, hosts }: ElsewhereDeps,
  teamId: string,
  identifier: string,
  reason: string,
): Promise<void> {
  const [owner = controllerId] = await hosts.controllersOf(teamId, [identifier])
  if (owner !== controllerId)
    await bells.ring(owner, { kind: 'cutOff', teamId, identifier, reason })
}
