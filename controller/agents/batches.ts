import { setTimeout as sleep } from 'node:timers/promises'
import { isStorageError } from '../store/redis.ts'

/** While storage is away it is tried this often. */
const retryMs = 500

export interface BatchOptions<Item, Result> {
  /** So many in one step at most, so that no script keeps Redis for long. */
  readonly most: number
  /** What is not urgent waits for so long after the step before. */
  readonly gatherMs: number
  /** Answers in the order of the items; for those that it leaves out at the end it is called again. */
  take(teamId: string, items: readonly Item[]): Promise<readonly Result[]>
  /** What a newer one of the same key makes needless while it waits; undefined for what has to be done in any case. */
  keyOf?(item: Item): string | undefined
  /** The answer of what was needless. */
  readonly superseded?: Result
  /** Nobody waits for it any more, so it is not tried again when storage is back. */
  isOver(item: Item): boolean
}

/** So many steps behind, nothing more should be read. */
const crowdedSteps = 40

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Team<Item, Result> {
  waiting: Waiting<Item, Result>[]
  readonly byKey: Map<string, Waiting<Item, Result>>
  isUrgent: boolean
  isBusy: boolean
  takenAtMs: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Takes what belongs to a team to storage many at a time, in its order: at once when nothing of that team is on its
 * way, else with all that comes meanwhile. So it costs a single one no time, and thousands few steps.
 */
export class Batches<Item, Result> {
  readonly #options: BatchOptions<Item, Result>
  readonly #teams = new Map<string, Team<Item, Result>>()

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options
  }

  /** Resolves when it is done. @throws Error what cannot be done at all, or not now and nobody waits for it */
  add(teamId: string, item: Item, isUrgent = true): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const team = this.#teamOf(teamId)
    const waiting = { item, resolve, reject }
    if (!this.#supersedes(team, waiting)) {
      team.waiting.push(waiting)
      const key = this.#options.keyOf?.(item)
      if (key !== undefined) team.byKey.set(key, waiting)
    }
    team.isUrgent ||= isUrgent
    this.#look(teamId, team)
    return promise
  }

  /**
   * Whether so much of a team waits that nothing more of it should be read. What something newer would replace does not
   * count: it cannot grow.
   */
  isCrowded(teamId: string): boolean {
    const { waiting = [], byKey } = this.#teams.get(teamId) ?? {}
    return waiting.length - (byKey?.size ?? 0) > this.#options.most * crowdedSteps
  }

  /** Takes the place of what waits and is needless now, if there is such. */
  #supersedes({ byKey }: Team<Item, Result>, newer: Waiting<Item, Result>): boolean {
    const key = this.#options.keyOf?.(newer.item)
    const older = key === undefined ? undefined : byKey.get(key)
    if (!older) return false
    older.resolve(this.#options.superseded as Result)
    Object.assign(older, newer)
    return true
  }

  #teamOf(teamId: string): Team<Item, Result> {
    const known = this.#teams.get(teamId)
    if (known) return known
    const takenAtMs = Number.NEGATIVE_INFINITY
    const team = {
      waiting: [],
      byKey: new Map(),
      isUrgent: false,
      isBusy: false,
      takenAtMs,
      timer: undefined,
    }
    this.#teams.set(teamId, team)
    return team
  }

  #look(teamId: string, team: Team<Item, Result>): void {
    if (team.isBusy || team.waiting.length === 0) return
    const restMs = team.takenAtMs + this.#options.gatherMs - performance.now()
    const mustWait = restMs > 0 && !team.isUrgent && team.waiting.length < this.#options.most
    if (mustWait) {
      team.timer ??= setTimeout(() => {
        team.timer = undefined
        this.#look(teamId, team)
      }, restMs).unref()
      return
    }
    clearTimeout(team.timer)
    team.timer = undefined
    void this.#takeSome(teamId, team)
  }

  async #takeSome(teamId: string, team: Team<Item, Result>): Promise<void> {
    const some = team.waiting.splice(0, this.#options.most)
    for (const { item } of some) {
      const key = this.#options.keyOf?.(item)
      if (key !== undefined) team.byKey.delete(key)
    }
    team.isBusy = true
    team.isUrgent &&= team.waiting.length > 0
    team.takenAtMs = performance.now()
    const left = await this.#done(teamId, some)
    // Before what came after it.
    if (left.length > 0) team.waiting.unshift(...left)
    team.isUrgent ||= left.length > 0
    team.isBusy = false
    this.#look(teamId, team)
  }

  /** Resolves to what is to be done again. */
  async #done(
    teamId: string,
    some: readonly Waiting<Item, Result>[],
  ): Promise<readonly Waiting<Item, Result>[]> {
    try {
      const items = some.map(({ item }) => item)
      const results = await this.#options.take(teamId, items)
      for (const [at, result] of results.entries()) some[at]?.resolve(result)
      return some.slice(results.length)
    } catch (error) {
      if (isStorageError(error)) return await this.#later(some, error)
      const [only] = some
      if (some.length === 1) only?.reject(error)
      // One of them must not end what the others have to say.
      else for (const one of some) await this.#done(teamId, [one])
      return []
    }
  }

  async #later(
    some: readonly Waiting<Item, Result>[],
    error: unknown,
  ): Promise<readonly Waiting<Item, Result>[]> {
    await sleep(retryMs, undefined, { ref: false })
    for (const { item, reject } of some) if (this.#options.isOver(item)) reject(error)
    return some.filter(({ item }) => !this.#options.isOver(item))
  }
}
