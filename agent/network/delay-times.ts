import type { ConnectTimes } from './observer/observer-process.ts'

/** The newest samples stand for all of a very long attack. */
const maximumSamples = 3600

/** With fewer than these a single late one would be taken for the delay. */
const minimumSamples = 3

/** How much longer connecting took, in ms. */
export interface AddedDelay {
  readonly addedMs: number
  readonly p99Ms: number
  /** How long it takes without the attack. */
  readonly normalMs: number
  readonly probes: number
  readonly unanswered: number
}

/** Collects how long connecting took with and without the delay, measured side by side. */
export class DelayTimes {
  readonly #plainMs: number[] = []
  readonly #sparedMs: number[] = []
  #probes = 0
  #unanswered = 0

  add({ plainMs, sparedMs }: ConnectTimes): void {
    this.#probes += 1
    // A peer that never answers says nothing about the delay.
    if (sparedMs === null) return
    push(this.#sparedMs, sparedMs)
    if (plainMs === null) this.#unanswered += 1
    else push(this.#plainMs, plainMs)
  }

  /** undefined until there is enough to compare. */
  get figures(): AddedDelay | undefined {
    const normalMs = quantile(this.#sparedMs, 0.5)
    const plainMs = quantile(this.#plainMs, 0.5)
    if (normalMs === undefined || plainMs === undefined) return undefined
    if (Math.min(this.#sparedMs.length, this.#plainMs.length) < minimumSamples) return undefined
    return {
      addedMs: plainMs - normalMs,
      p99Ms: (quantile(this.#plainMs, 0.99) ?? plainMs) - normalMs,
      normalMs,
      probes: this.#probes,
      unanswered: this.#unanswered,
    }
  }
}

/** The value below which this share of the samples lies; undefined without samples. */
export function quantile(samples: readonly number[], share: number): number | undefined {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function push(samples: number[], value: number): void {
  samples.push(value)
  if (samples.length > maximumSamples) samples.shift()
}
