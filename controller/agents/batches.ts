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
  /** Nobody waits for it any more, so it is not tried again when storage is back. */
  isOver(item: Item): boolean
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Team<Item, Result> {
  waiting: Waiting<Item, Result>[]
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
    team.waiting.push({ item, resolve, reject })
    team.isUrgent ||= isUrgent
    this.#look(teamId, team)
    return promise
  }

  #teamOf(teamId: string): Team<Item, Result> {
    const known = this.#teams.get(teamId)
    if (known) return known
    const takenAtMs = Number.NEGATIVE_INFINITY
    const team = { waiting: [], isUrgent: false, isBusy: false, takenAtMs, timer: undefined }
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
