import { readProc } from './processes.ts'

/**
 * Milliseconds on a clock that nobody sets and that goes on while the machine is suspended
 * (CLOCK_BOOTTIME, to 10 ms). That of performance.now() stands still then, and every timer with it.
 * NaN when the system does not say.
 */
export function sinceBootMs(): number {
  return 1000 * Number.parseFloat(readProc('uptime') ?? '')
}

/** Tells for how long the machine has been suspended since the watch began. */
export class SleepWatch {
  readonly #sinceBootMs: () => number
  readonly #awakeMs: () => number
  /** At least as far as the clock that counts sleep was ahead when the watch began. */
  #aheadMs = Infinity

  constructor(clock: () => number = sinceBootMs, awakeMs: () => number = () => performance.now()) {
    this.#sinceBootMs = clock
    this.#awakeMs = awakeMs
    this.sleptMs()
  }

  /** At most what it was: a process that is stopped between two looks at the clocks has not slept. */
  sleptMs(): number {
    const before = this.#awakeMs()
    const now = this.#sinceBootMs()
    const after = this.#awakeMs()
    if (Number.isNaN(now)) return 0
    this.#aheadMs = Math.min(this.#aheadMs, now - before)
    return Math.max(0, now - after - this.#aheadMs)
  }
}
