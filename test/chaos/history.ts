import type { Stage } from '../../shared/stages.ts'

/**
 * What happened in a run. All times are milliseconds on one clock, the monotonic one of the process that
 * watched; it saw effects from outside, so that no agent's word is needed for them.
 */
export interface History {
  readonly seed: number
  readonly bounds: Bounds
  readonly hosts: readonly Host[]
  readonly requests: readonly Request[]
  readonly effects: readonly Effect[]
  readonly outages: readonly Outage[]
  /** What the API says when everything was healed and had its time. */
  readonly attacks: readonly FinalAttack[]
  readonly journals: readonly JournalState[]
  /** When effects were looked at for the last time. */
  readonly until: number
}

export interface Bounds {
  /** How long a host may be aimed at after its last heartbeat. */
  readonly leaseMs: number
  /** An agent with an attack that hears nothing for so long ends it. */
  readonly deadManMs: number
  /** What is ordered reaches a host within a calm of this length. */
  readonly reachMs: number
  /** What starved processors may add to any bound. */
  readonly slackMs: number
}

export interface Host {
  readonly name: string
  readonly team: string
}

interface Sent {
  readonly begin: number
  /** Undefined: it was never answered, so it may have happened or not, at any later time. */
  readonly end: number | undefined
  /** 0 without an answer. */
  readonly status: number
}

export interface Create extends Sent {
  readonly kind: 'create'
  readonly team: string
  readonly key: string | undefined
  /** The hosts that were named; undefined for a draw. */
  readonly hosts: readonly string[] | undefined
  /** How many are drawn. */
  readonly count: number
  readonly lengthMs: number
  readonly attack: string | undefined
}

export interface Halt extends Sent {
  readonly kind: 'halt'
  readonly team: string
  /** Undefined: everything of the team. */
  readonly attack: string | undefined
}

export interface HostChange extends Sent {
  readonly kind: 'revoke' | 'activate'
  readonly host: string
}

export interface Read extends Sent {
  readonly kind: 'read'
  readonly attack: string
  readonly executions: readonly FinalExecution[]
}

export type Request = Create | Halt | HostChange | Read
type RequestOf<K extends Request['kind']> = {
  create: Create
  halt: Halt
  revoke: HostChange
  activate: HostChange
  read: Read
}[K]

/** A fault that was really there. */
export interface Effect {
  readonly execution: string
  readonly attack: string
  readonly host: string
  readonly lengthMs: number
  readonly begin: number
  /** Undefined: it was still there when nobody watched any more. */
  readonly end: number | undefined
}

export type Part =
  | 'machine'
  | 'redis'
  | `controller:${string}`
  | `redis-link:${string}`
  | `agent:${string}`
  | `link:${string}`

/** A time in which a part did not do its work. */
export interface Outage {
  readonly part: Part
  /** `start`: it runs again, but does not do its work yet. */
  readonly kind: 'kill' | 'start' | 'stop' | 'cut' | 'hold' | 'stall'
  readonly begin: number
  readonly end: number
}

export interface FinalExecution {
  readonly id: string
  readonly host: string
  readonly stage: Stage
  readonly reason: string | undefined
}

export interface FinalAttack {
  readonly id: string
  readonly team: string
  readonly executions: readonly FinalExecution[]
}

export interface JournalState {
  readonly host: string
  readonly execution: string
  readonly state: string
}

/** An attack with the request that was answered with its id. */
export interface Acknowledged {
  readonly attack: string
  readonly request: Create
  readonly record: FinalAttack | undefined
}

export function requestsOf<K extends Request['kind']>(
  { requests }: History,
  kind: K,
): RequestOf<K>[] {
  return requests.filter((one) => one.kind === kind) as RequestOf<K>[]
}

const known = new WeakMap<History, Acknowledged[]>()

/** Every attack that was answered with 201, once, with the first of its answers. */
export function acknowledged(history: History): Acknowledged[] {
  const found = known.get(history) ?? findAcknowledged(history)
  known.set(history, found)
  return found
}

function findAcknowledged(history: History): Acknowledged[] {
  const records = new Map(history.attacks.map((attack) => [attack.id, attack]))
  const found = new Map<string, Acknowledged>()
  for (const request of requestsOf(history, 'create'))
    if (request.attack !== undefined && !found.has(request.attack))
      found.set(request.attack, {
        attack: request.attack,
        request,
        record: records.get(request.attack),
      })
  return [...found.values()]
}

/** Whether what is said to a host, or what it says, can be hindered by this. */
export function concerns(outage: Outage, host: string): boolean {
  const [kind, name] = outage.part.split(':')
  return (kind !== 'agent' && kind !== 'link') || name === host
}

/** The end of the first calm of this length after `from`. */
export function calmAfter(outages: readonly Outage[], from: number, lengthMs: number): number {
  let calmSince = from
  for (const { begin, end } of outages.toSorted((a, b) => a.begin - b.begin)) {
    if (end <= calmSince) continue
    if (begin - calmSince >= lengthMs) break
    calmSince = end
  }
  return calmSince + lengthMs
}
