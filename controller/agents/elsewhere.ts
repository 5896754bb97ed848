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
  /** What is said in one turn goes out together. Whoever knows it says which controller holds the host's session. */
  deliverSoon(teamId: string, identifier: string, owner?: string): void
  cutOff(teamId: string, identifier: string, reason: string): void
  replaced(controllerId: string, teamId: string, identifier: string, epoch: number): void
}

/** Makes the way to other controllers' agents. */
export function createElsewhere(deps: ElsewhereDeps): Elsewhere {
  const waiting = new Map<string, Map<string, string | undefined>>()
  const quietly = (work: Promise<unknown>): void =>
    void work.catch((err: unknown) =>
      deps.logger.warn({ err }, 'another controller hears of it with the next heartbeat'),
    )
  const flush = (): void => {
    for (const [teamId, identifiers] of waiting) quietly(deliver(deps, teamId, identifiers))
    waiting.clear()
  }
  return {
    deliverSoon(teamId, identifier, owner) {
      if (waiting.size === 0) queueMicrotask(flush)
      waiting.set(teamId, (waiting.get(teamId) ?? new Map()).set(identifier, owner))
    },
    cutOff: (teamId, identifier, reason) => quietly(cutOff(deps, teamId, identifier, reason)),
    replaced(controllerId, teamId, identifier, epoch) {
      if (controllerId === deps.controllerId) return
      quietly(deps.bells.ring(controllerId, { kind: 'replaced', teamId, identifier, epoch }))
    },
  }
}

async function deliver(
  deps: ElsewhereDeps,
  teamId: string,
  hosts: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  const { true: known = [], false: unknown = [] } = Object.groupBy(hosts, ([, owner]) =>
    owner === undefined ? 'false' : 'true',
  )
  await ringAt(deps, teamId, known)
  for (let from = 0; from < unknown.length; from += lookUpLimit) {
    const some = unknown.slice(from, from + lookUpLimit).map(([identifier]) => identifier)
    const owners = await deps.hosts.controllersOf(teamId, some)
    await ringAt(
      deps,
      teamId,
      some.map((identifier, at) => [identifier, owners[at]] as const),
    )
  }
}

async function ringAt(
  { controllerId, bells }: ElsewhereDeps,
  teamId: string,
  owned: readonly (readonly [identifier: string, owner: string | undefined])[],
): Promise<void> {
  const byController = Map.groupBy(owned, ([, owner]) => owner ?? controllerId)
  byController.delete(controllerId)
  const rings = [...byController].map(([id, theirs]) =>
    bells.ring(id, { kind: 'deliver', teamId, identifiers: theirs.map(([one]) => one) }),
  )
  await Promise.all(rings)
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
