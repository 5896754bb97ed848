import { randomInt } from 'node:crypto'
import type { NewAttack } from './attack-record.ts'
import type { OutReason, Preview } from './attacks.ts'
import { creationRequest, readLimit } from './creation-request.ts'
import type { Unmet } from './creation-result.ts'
import { keys } from './keys.ts'
import { loadScript, type Redis } from './redis.ts'
import { readSet } from './scan.ts'

const inspect = loadScript('inspect-hosts')

/** How many names of hosts Redis gives at once. */
const namesAtOnce = 1_000

/** A host, or a container on it, that an execution may be for. */
export interface Row {
  readonly host: string
  readonly container: string | null
  readonly name: string | null
}

interface Slice {
  readonly hosts: readonly { host: string; containers: readonly { id: string; name: string }[] }[]
  readonly out: readonly { host: string; container?: string; name?: string; reason: OutReason }[]
}

/** What was found when all hosts were looked at. */
export interface Survey {
  /** What can be drawn, each with its rows. */
  readonly units: readonly (readonly Row[])[]
  readonly wanted: number
  readonly out: Slice['out']
  readonly missing: readonly string[]
  /** Hosts that were looked for and run no container that matches. */
  readonly without: readonly string[]
  /** How many hosts are alive and carry the tags. */
  readonly tagged: number
}

/**
 * Looks at the hosts of a target that has too many of them for one script. Hosts come and go meanwhile: each that is
 * drawn is looked at again by the script that writes its execution.
 */
export async function surveyHosts(
  redis: Redis,
  attack: NewAttack,
  { isPreview }: { readonly isPreview: boolean },
): Promise<Survey> {
  const { target } = attack
  const named = target.hosts.ids
  // Only a preview says of the others why they are out.
  const names = named ?? (await (isPreview ? hostsOf : liveHostsOf)(redis, attack.teamId))
  // By name, so that each attack reaches a container through the same agent, which knows of the others.
  const { hosts, out } = await inspectAll(
    redis,
    attack,
    target.containers ? names.toSorted() : names,
  )
  const rows = hosts.map(({ host, containers }): Row[] =>
    target.containers
      ? containers.map(({ id, name }) => ({ host, container: id, name }))
      : [{ host, container: null, name: null }],
  )
  const without = hosts.filter((_, index) => rows[index]?.length === 0).map(({ host }) => host)
  const ofHosts = rows.filter((one) => one.length > 0)
  const units = target.draw?.of === 'containers' ? ofHosts.flat().map((row) => [row]) : ofHosts
  const found = new Set(ofHosts.flat().map(({ container }) => container))
  const gone = out.filter(({ reason }) => reason === 'revoked' || reason === 'silent')
  return {
    units,
    wanted: wantedOf(target.draw, units.length),
    out: [...out, ...without.map((host) => ({ host, reason: 'no_container' as const }))],
    missing: [
      ...(named ? gone.map(({ host }) => host) : []),
      ...(target.containers?.ids ?? []).filter((id) => !found.has(id)),
    ],
    without,
    tagged: hosts.length,
  }
}

/** Why this target cannot be met; undefined when it can. */
export function unmetBy(survey: Survey, { target }: NewAttack): Unmet | undefined {
  const { units, wanted, out, missing } = survey
  const controllers = out.filter(({ reason }) => reason === 'controller').map(({ host }) => host)
  if (missing.length > 0) return { kind: 'missing', ids: missing }
  if (target.hosts.ids && controllers.length > 0) return { kind: 'controller', hosts: controllers }
  if (units.length === 0)
    return {
      kind: 'none',
      hostsWithTags: survey.tagged,
      protectedContainers: out.filter(({ reason }) => reason === 'protected').length,
      controllerHosts: controllers.length,
    }
  return wanted > units.length ? { kind: 'few', matching: units.length, asked: wanted } : undefined
}

/** The same as a preview. */
export function previewBy({ units, wanted, out, missing }: Survey): Preview {
  return { drawn: wanted, units: units.length, rows: units.flat(), out, missing }
}

/** In the order in which they are drawn: Fisher and Yates, so that each order has the same chance. */
export function shuffled<T>(values: readonly T[]): T[] {
  const order = [...values]
  for (let i = 0; i < order.length - 1; i += 1) {
    const j = randomInt(i, order.length)
    ;[order[i], order[j]] = [order[j] as T, order[i] as T]
  }
  return order
}

function wantedOf(draw: NewAttack['target']['draw'], size: number): number {
  if (!draw) return size
  return draw.percent === null ? (draw.count ?? size) : Math.ceil((size * draw.percent) / 100)
}

const hostsOf = async (redis: Redis, teamId: string): Promise<string[]> =>
  (await readSet(redis, keys.hosts(teamId))).sort()

/** Those whose lease was not over when somebody looked last. */
async function liveHostsOf(redis: Redis, teamId: string): Promise<string[]> {
  const found = new Set<string>()
  let cursor = '0'
  do {
    const [next, flat] = await redis.zscan(keys.liveHosts(teamId), cursor, 'COUNT', namesAtOnce)
    for (let at = 0; at < flat.length; at += 2) found.add(flat[at] ?? '')
    cursor = next
  } while (cursor !== '0')
  return [...found].sort()
}

async function inspectAll(
  redis: Redis,
  attack: NewAttack,
  names: readonly string[],
): Promise<Slice> {
  const { target, teamId } = attack
  const request = creationRequest(attack, { hosts: { ...target.hosts, ids: null } })
  const [hosts, out] = [[] as Slice['hosts'][number][], [] as Slice['out'][number][]]
  // Two agents may watch one engine: a container is hit through one of them only, the first.
  const owners = new Map<string, string>()
  const isOwn = (host: string, container: string) => {
    if (!owners.has(container)) owners.set(container, host)
    return owners.get(container) === host
  }
  const size = readLimit(attack)
  for (let at = 0; at < names.length; at += size) {
    const args = [request, ...names.slice(at, at + size)]
    const answer = await inspect.run(redis, [keys.liveHosts(teamId)], args)
    const slice = JSON.parse(String(answer)) as Slice
    // An empty list of Lua is written as an object.
    for (const one of Array.isArray(slice.out) ? slice.out : [])
      if (one.container === undefined || isOwn(one.host, one.container)) out.push(one)
    for (const { host, containers } of Array.isArray(slice.hosts) ? slice.hosts : []) {
      const own = Array.isArray(containers) ? containers.filter(({ id }) => isOwn(host, id)) : []
      hosts.push({ host, containers: own })
    }
  }
  return { hosts, out }
}
