import type { Logger } from 'pino'
import type { HostRefresh, Hosts, RefreshResult } from '../store/hosts.ts'

/** Heartbeats of a team that come within this time are written in one step. */
const gatherMs = 200
/** So many hosts a step: none keeps Redis for more than some ms. */
const sliceSize = 60
/** While storage is away it is tried this often. */
const retryMs = 500
/** Agents are told that all is well for so long while storage is away; then their dead-man's time begins. */
const graceMs = 20_000

/** A heartbeat of a session; `answer` hears what became of it. */
export interface Beat extends Omit<HostRefresh, 'inventory'> {
  answer(result: RefreshResult): void
}

interface Waiting {
  readonly teamId: string
  readonly beat: Beat
  readonly atMs: number
  isForgotten: boolean
}

/** Writes heartbeats: many in one step, of each host the latest only, also those from while storage was away. */
export class Heartbeats {
  readonly #deps: { readonly hosts: Hosts; readonly logger: Logger }
  #teams = new Map<string, Map<string, Waiting>>()
  readonly #onTheWay = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #failingSinceMs: number | undefined
  #isClosed = false

  constructor(deps: { hosts: Hosts; logger: Logger }) {
    this.#deps = deps
  }

  beat(teamId: string, beat: Beat): void {
    const waiting = { teamId, beat, atMs: performance.now(), isForgotten: false }
    this.#teamOf(teamId).set(beat.identifier, waiting)
    this.#flushIn(gatherMs)
  }

  /** Leaves out what is not written yet: the host says goodbye. */
  forget(teamId: string, identifier: string): void {
    this.#teams.get(teamId)?.delete(identifier)
    for (const one of this.#onTheWay)
      if (one.teamId === teamId && one.beat.identifier === identifier) one.isForgotten = true
  }

  /** Whether heartbeats are written, or were not long ago. */
  isKept(): boolean {
    const since = this.#failingSinceMs
    return since === undefined || performance.now() - since < graceMs
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #teamOf(teamId: string): Map<string, Waiting> {
    const team = this.#teams.get(teamId) ?? new Map<string, Waiting>()
    this.#teams.set(teamId, team)
    return team
  }

  #flushIn(afterMs: number): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.#flush(), afterMs)
  }

  async #flush(): Promise<void> {
    const teams = this.#teams
    this.#teams = new Map()
    const written = [...teams].flatMap(([teamId, team]) =>
      inSlices([...team.values()].filter(isWorthWriting)).map((slice) =>
        this.#write(teamId, slice),
      ),
    )
    const isDone = (await Promise.all(written)).every((one) => one)
    this.#failingSinceMs = isDone ? undefined : (this.#failingSinceMs ?? performance.now())
    this.#timer = undefined
    if (this.#teams.size > 0) this.#flushIn(isDone ? gatherMs : retryMs)
  }

  /** Resolves to whether it was written; what was not waits again, unless something newer does. */
  async #write(teamId: string, slice: readonly Waiting[]): Promise<boolean> {
    for (const one of slice) this.#onTheWay.add(one)
    try {
      const results = await this.#deps.hosts.refresh(teamId, slice.map(toRefresh))
      for (const [at, result] of results.entries()) slice[at]?.beat.answer(result)
      return true
    } catch (err) {
      this.#deps.logger.warn({ err, hosts: slice.length }, 'heartbeats wait for storage')
      const team = this.#teamOf(teamId)
      for (const one of slice)
        if (!one.isForgotten && !team.has(one.beat.identifier)) team.set(one.beat.identifier, one)
      return false
    } finally {
      for (const one of slice) this.#onTheWay.delete(one)
    }
  }
}

function inSlices<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / sliceSize)
  return Array.from({ length: count }, (_, at) => all.slice(at * sliceSize, (at + 1) * sliceSize))
}

/** A lease counts from when the heartbeat came, not from when it is written. */
function leaseLeftMs({ beat, atMs }: Waiting): number {
  return Math.round(beat.leaseMs - (performance.now() - atMs))
}

function isWorthWriting(one: Waiting): boolean {
  return leaseLeftMs(one) > 0
}

function toRefresh(one: Waiting): HostRefresh {
  const { identifier, epoch, running } = one.beat
  return { identifier, epoch, leaseMs: leaseLeftMs(one), ...(running ? { running } : {}) }
}
