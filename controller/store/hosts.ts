import type { Inventory__Output } from '../../proto/gen/temblor/agent/v1/Inventory.ts'
import type { Client } from '../../shared/api/clients.ts'
import type { Container } from '../../shared/api/containers.ts'
import { inventoryFields, toClient } from './host-record.ts'
import { keys } from './keys.ts'
import { readInSlices } from './read-in-slices.ts'
import { answersOf, loadScript, redisNowMs, type Redis } from './redis.ts'
import { openTeamClocks, type Answer, type TeamClocks } from './team-clocks.ts'

/** A host that was silent for this long is not listed any more. */
const listedForMs = 24 * 60 * 60_000

const claim = loadScript('claim-host')
const refresh = loadScript('refresh-hosts')
const release = loadScript('release-host')
const revoke = loadScript('revoke-host')

/** What the agent of a host says of itself when it opens a session. */
export interface HostClaim {
  readonly identifier: string
  readonly instanceId: string
  readonly bootId: string
  readonly version: string
  readonly address: string
  readonly inventory: Inventory__Output | null
  /** Which Hello of the agent this is; absent when it does not count them. */
  readonly attempt?: number
  /** The controller that holds the session; absent when none does. */
  readonly controllerId?: string
}

export type ClaimResult =
  /** `isNew`: nobody or another agent had this name; `before`: the controller of an older session. */
  | {
      readonly kind: 'ok'
      readonly epoch: number
      readonly isNew: boolean
      readonly before: string | undefined
    }
  | { readonly kind: 'revoked' }
  /** A later Hello of the same agent has opened its session already. */
  | { readonly kind: 'outdated' }
  | {
      readonly kind: 'in_use'
      readonly instanceId: string
      readonly bootId: string
      readonly address: string
      readonly lastSeenMs: number
    }

export type RefreshResult =
  | { readonly kind: 'ok'; readonly waitingOrders: number }
  /** A newer session counts, or none: the host was revoked. */
  | { readonly kind: 'replaced' }
  /** The host was silent for so long that it has to register again. */
  | { readonly kind: 'forgotten' }

/** A heartbeat of a session, or a new inventory. */
export interface HostRefresh {
  readonly identifier: string
  readonly epoch: number
  readonly leaseMs: number
  readonly inventory?: Inventory__Output
  readonly running?: readonly string[]
}

/** The hosts of a team, who is alive, and which session of an agent counts. */
export interface Hosts {
  claim(teamId: string, host: HostClaim, leaseMs: number): Promise<ClaimResult>
  /** Renews leases of sessions, all in one step; gives the results in their order. */
  refresh(teamId: string, hosts: readonly HostRefresh[]): Promise<RefreshResult[]>
  /** The agent left: the host is no longer targetable. */
  release(teamId: string, identifier: string, epoch: number): Promise<void>
  /** Cuts a host off for good; false when there is none of this name. */
  revoke(teamId: string, identifier: string): Promise<boolean>
  activate(teamId: string, identifier: string): Promise<boolean>
  /** The hosts of a team that were heard in the last day, by name. */
  list(teamId: string): Promise<Client[]>
  /** Those of these hosts that would be listed. */
  read(teamId: string, identifiers: readonly string[]): Promise<Client[]>
  /** The controller that holds (or held last) the session of each of these hosts. */
  controllersOf(teamId: string, identifiers: readonly string[]): Promise<(string | undefined)[]>
  /** When this host was last heard, and whether its lease still lasts; undefined for no such host. */
  lastHeard(
    teamId: string,
    identifier: string,
  ): Promise<{ atMs: number; isAlive: boolean } | undefined>
}

/** Opens the store of hosts. What renews a lease is done in time or not at all: see `TeamClocks`. */
export function openHosts(redis: Redis, clocks: TeamClocks = openTeamClocks(redis)): Hosts {
  return {
    async claim(teamId, host, leaseMs) {
      const hostKeys = [
        keys.liveHosts(teamId),
        keys.hosts(teamId),
        keys.host(teamId, host.identifier),
        keys.revokedInstances(teamId),
        keys.hostIndex(teamId),
      ]
      const answer = await clocks.inTime(
        teamId,
        async (byMs) =>
          (await claim.run(redis, hostKeys, claimArgs(host, leaseMs, byMs))) as Answer,
      )
      return toClaimResult(answer as [ClaimResult['kind'], ...string[]])
    },
    async refresh(teamId, hosts) {
      const [, ...found] = await clocks.inTime(
        teamId,
        async (byMs) =>
          (await refresh.run(
            redis,
            [keys.liveHosts(teamId), keys.hostIndex(teamId)],
            [
              keys.hostPrefix(teamId),
              keys.outboxPrefix(teamId),
              byMs,
              ...hosts.flatMap(refreshArgs),
            ],
          )) as [string, ...number[]],
      )
      return found.map(toRefreshResult)
    },
    async release(teamId, identifier, epoch) {
      await release.run(
        redis,
        [keys.liveHosts(teamId), keys.host(teamId, identifier), keys.hostIndex(teamId)],
        [identifier, epoch],
      )
    },
    revoke: (teamId, identifier) => setState(redis, teamId, identifier, 'REVOKED'),
    activate: (teamId, identifier) => setState(redis, teamId, identifier, 'ACTIVE'),
    list: async (teamId) => {
      const all = (await redis.smembers(keys.hosts(teamId))).sort()
      return await readHosts(redis, teamId, await heardLately(redis, teamId, all))
    },
    read: (teamId, identifiers) => readHosts(redis, teamId, identifiers),
    controllersOf: (teamId, identifiers) => controllersOf(redis, teamId, identifiers),
    lastHeard: (teamId, identifier) => lastHeard(redis, teamId, identifier),
  }
}

function claimArgs(host: HostClaim, leaseMs: number, byMs: number) {
  const fields = {
    boot_id: host.bootId,
    version: host.version,
    address: host.address,
    controller: host.controllerId ?? '',
    running: '[]',
    ...(host.inventory ? inventoryFields(host.inventory) : {}),
  }
  const { identifier, instanceId, attempt = 0 } = host
  return [identifier, instanceId, leaseMs, attempt, byMs, ...Object.entries(fields).flat()]
}

function toClaimResult([kind, ...rest]: [ClaimResult['kind'], ...string[]]): ClaimResult {
  const [first = '', second = '', third = '', fourth = ''] = rest
  if (kind === 'ok')
    return { kind, epoch: Number(first), isNew: Number(third) === 1, before: fourth || undefined }
  if (kind === 'revoked' || kind === 'outdated') return { kind }
  return { kind, instanceId: first, bootId: second, address: third, lastSeenMs: Number(fourth) }
}

async function lastHeard(redis: Redis, teamId: string, identifier: string) {
  const at = await redis.hget(keys.host(teamId, identifier), 'last_seen_ms')
  if (at === null) return undefined
  const lease = await redis.zscore(keys.liveHosts(teamId), identifier)
  return {
    atMs: Number(at),
    isAlive: Number(lease ?? 0) > (await redisNowMs(redis, keys.liveHosts(teamId))),
  }
}

async function controllersOf(
  redis: Redis,
  teamId: string,
  identifiers: readonly string[],
): Promise<(string | undefined)[]> {
  const pipeline = redis.pipeline()
  for (const identifier of identifiers) pipeline.hget(keys.host(teamId, identifier), 'controller')
  return (await answersOf(pipeline)).map((id) => (id as string | null) || undefined)
}

function refreshArgs({ identifier, epoch, leaseMs, inventory, running }: HostRefresh) {
  const fields = {
    ...(inventory ? { ...inventoryFields(inventory), updated_ms: String(Date.now()) } : {}),
    ...(running ? { running: JSON.stringify(running) } : {}),
  }
  return [identifier, epoch, leaseMs, JSON.stringify(Object.entries(fields).flat())]
}

function toRefreshResult(found: number): RefreshResult {
  if (found >= 0) return { kind: 'ok', waitingOrders: found }
  return { kind: found === -1 ? 'replaced' : 'forgotten' }
}

async function setState(
  redis: Redis,
  teamId: string,
  identifier: string,
  state: 'REVOKED' | 'ACTIVE',
): Promise<boolean> {
  const done = await revoke.run(
    redis,
    [
      keys.liveHosts(teamId),
      keys.host(teamId, identifier),
      keys.revokedInstances(teamId),
      keys.hostIndex(teamId),
      keys.hosts(teamId),
    ],
    [identifier, state],
  )
  return done === 1
}

/** The containers on these hosts, each once even when two agents watch one engine. */
export function containersOf(clients: readonly Client[]): Container[] {
  const byId = new Map<string, Container>()
  for (const client of clients)
    for (const { labels, id, ...container } of client.containers)
      if (!byId.has(id))
        byId.set(id, {
          ...container,
          identifier: id,
          client_id: client.identifier,
          org_id: client.org_id,
          container_labels: labels,
        })
  return [...byId.values()]
}

/** Those of these hosts that were heard in the last day. Of the others nothing more is read. */
export async function heardLately(
  redis: Redis,
  teamId: string,
  identifiers: readonly string[],
): Promise<string[]> {
  const nowMs = await redisNowMs(redis, keys.hosts(teamId))
  const seen = await readInSlices(redis, identifiers, (pipeline, identifier) =>
    pipeline.hget(keys.host(teamId, identifier), 'last_seen_ms'),
  )
  return identifiers.filter((_, at) => nowMs - Number(seen[at] ?? 0) < listedForMs)
}

async function readHosts(
  redis: Redis,
  teamId: string,
  identifiers: readonly string[],
): Promise<Client[]> {
  const nowMs = await redisNowMs(redis, keys.liveHosts(teamId))
  const leases = await readInSlices(redis, identifiers, (pipeline, identifier) =>
    pipeline.zscore(keys.liveHosts(teamId), identifier),
  )
  const records = await readInSlices(redis, identifiers, (pipeline, identifier) =>
    pipeline.hgetall(keys.host(teamId, identifier)),
  )
  return records
    .map((record, at) =>
      toClient(teamId, nowMs, record as Record<string, string>, Number(leases[at] ?? 0)),
    )
    .filter((client) => nowMs - Date.parse(client.last_seen) < listedForMs)
}
