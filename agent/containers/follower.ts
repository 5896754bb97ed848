import type { ContainerTarget } from '../faults/fault.ts'
import { isAlive } from '../host/processes.ts'
import type { ContainerSource, ContainerState } from './source.ts'

/**
 * Follows one container through its restarts. Events only say when to look; what counts is what the
 * engine then says, so that a missed or repeated event does no harm.
 */
export class ContainerFollower {
  readonly #id: string
  readonly #source: ContainerSource
  readonly #stop: () => void
  #events = 0
  #wake = Promise.withResolvers<void>()
  #waiting = false

  constructor(state: ContainerState, source: ContainerSource, onPause: () => void) {
    this.#id = state.id
    this.#source = source
    if (state.paused) onPause()
    this.#stop = source.follow(state.id, (event) => {
      if (event === 'pause') onPause()
      this.#events += 1
      this.#wake.resolve()
      this.#wake = Promise.withResolvers()
    })
  }

  /** Whether the container is down and its return is awaited. */
  get waiting(): boolean {
    return this.#waiting
  }

  /**
   * Waits for the next incarnation after `old`.
   * @returns `removed` when there will be none, undefined when `giveUp` settled first
   */
  async next(
    old: ContainerTarget,
    giveUp: Promise<unknown>,
  ): Promise<ContainerTarget | 'removed' | undefined> {
    this.#waiting = true
    const over = giveUp.then(() => 'over' as const)
    try {
      for (;;) {
        const seen = this.#events
        const wake = this.#wake.promise
        const state = await this.#look()
        if (state === 'gone') return 'removed'
        if (state?.target && isAnother(state.target, old)) return state.target
        const changed = seen === this.#events ? wake : undefined
        if ((await Promise.race([over, changed])) === 'over') return undefined
      }
    } finally {
      this.#waiting = false
    }
  }

  close(): void {
    this.#stop()
  }

  /** undefined while the engine does not answer: it will be heard of again when it does. */
  async #look(): Promise<ContainerState | 'gone' | undefined> {
    try {
      return (await this.#source.resolve(this.#id)) ?? 'gone'
    } catch {
      return undefined
    }
  }
}

function isAnother(target: ContainerTarget, old: ContainerTarget): boolean {
  const same = target.init.pid === old.init.pid && target.init.startTicks === old.init.startTicks
  return !same && isAlive(target.init)
}
