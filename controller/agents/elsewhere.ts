import type { Logger } from 'pino'
import type { Bells, ToldOrder } from '../store/bells.ts'
import type { Hosts } from '../store/hosts.ts'
import type { TeamClocks } from '../store/team-clocks.ts'

export interface ElsewhereDeps {
  readonly controllerId: string
  readonly bells: Bells
  readonly hosts: Pick<Hosts, 'controllersOf'>
  readonly teamClocks: TeamClocks
  readonly logger: Logger
}

/** So many hosts are looked up at once. */
const lookUpLimit = 500
/** Of more orders than this another controller is told that they are there, and reads them. */
const toldLimit = 10

/** A host that has something to hear; what is known of the controller that holds its session, and of the order. */
interface Waiting {
  readonly identifier: string
  readonly owner: string | undefined
  readonly order: ToldOrder | undefined
}

/** The way to agents that are connected to other controllers. Never throws; heartbeats make up for what fails. */
export interface Elsewhere {
  /** What is said in one turn goes out together. */
  deliverSoon(teamId: string, identifier: string): void
  /** The same with the order itself, which says which controller holds the host's session. */
  tell(teamId: string, order: ToldOrder): void
  cutOff(teamId: string, identifier: string, reason: string): void
  replaced(controllerId: string, teamId: string, identifier: string, epoch: number): void
}

/** Makes the way to other controllers' agents. */
export function createElsewhere(deps: ElsewhereDeps): Elsewhere {
  const waiting = new Map<string, Map<string, Waiting>>()
  const quietly = (work: Promise<unknown>): void =>
    void work.catch((err: unknown) =>
      deps.logger.warn({ err }, 'another controller hears of it with the next heartbeat'),
    )
  const flush = (): void => {
    for (const [teamId, hosts] of waiting) quietly(deliver(deps, teamId, [...hosts.values()]))
    waiting.clear()
  }
  const add = (teamId: string, one: Waiting): void => {
    if (waiting.size === 0) queueMicrotask(flush)
    const hosts = waiting.get(teamId) ?? new Map<string, Waiting>()
    const before = hosts.get(one.identifier)
    // Of several orders none is told: they are read.
    hosts.set(one.identifier, before ? { ...one, order: undefined } : one)
    waiting.set(teamId, hosts)
  }
  return {
    deliverSoon: (teamId, identifier) =>
      add(teamId, { identifier, owner: undefined, order: undefined }),
    tell: (teamId, order) =>
      add(teamId, { identifier: order.host, owner: order.controllerId, order }),
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
  hosts: readonly Waiting[],
): Promise<void> {
  const { true: known = [], false: unknown = [] } = Object.groupBy(hosts, ({ owner }) =>
    owner === undefined ? 'false' : 'true',
  )
  await ringAt(deps, teamId, known)
  for (let from = 0; from < unknown.length; from += lookUpLimit) {
    const some = unknown.slice(from, from + lookUpLimit)
    const owners = await deps.hosts.controllersOf(
      teamId,
      some.map(({ identifier }) => identifier),
    )
    await ringAt(
      deps,
      teamId,
      some.map((one, at) => ({ ...one, owner: owners[at] })),
    )
  }
}

async function ringAt(
  { controllerId, bells }: ElsewhereDeps,
  teamId: string,
  hosts: readonly Waiting[],
): Promise<void> {
  const byController = Map.groupBy(hosts, ({ owner }) => owner ?? controllerId)
  byController.delete(controllerId)
  const rings = [...byController].map(([id, theirs]) => {
    const identifiers = theirs.map(({ identifier }) => identifier)
    const orders = theirs.flatMap(({ order }) => order ?? [])
    return bells.ring(id, {
      kind: 'deliver',
      teamId,
      identifiers,
      ...(orders.length <= toldLimit ? { orders } : {}),
    })
  })
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
