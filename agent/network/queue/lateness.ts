/** Percentiles and mean of how long packets were held, in ms. */
export interface HeldTimes {
  readonly p50: number
  readonly p99: number
  readonly mean: number
}

/** Buckets grow by this factor: a percentile is right to 1 % of the lateness. */
const growth = 1.02
const smallestMs = 0.001
/** Reaches beyond an hour. */
const bucketCount = 1200

/**
 * Counts by how much packets were held longer than asked. Counting the excess and not the whole time
 * keeps it sharp at every delay.
 */
export class Lateness {
  private readonly buckets = new Uint32Array(bucketCount)
  private readonly delayMs: number
  private sumMs = 0
  private count = 0

  constructor(delayMs: number) {
    this.delayMs = delayMs
  }

  add(heldMs: number, count: number): void {
    const lateMs = Math.max(0, heldMs - this.delayMs)
    const index = Math.ceil(Math.log(Math.max(1, lateMs / smallestMs)) / Math.log(growth))
    const bucket = Math.min(index, bucketCount - 1)
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + count
    this.sumMs += heldMs * count
    this.count += count
  }

  /** undefined when nothing was counted. */
  heldTimes(): HeldTimes | undefined {
    if (this.count === 0) return undefined
    return {
      p50: round(this.percentile(0.5)),
      p99: round(this.percentile(0.99)),
      mean: round(this.sumMs / this.count),
    }
  }

  reset(): void {
    this.buckets.fill(0)
    this.sumMs = 0
    this.count = 0
  }

  private percentile(share: number): number {
    let left = share * this.count
    const bucket = this.buckets.findIndex((count) => (left -= count) <= 0)
    return this.delayMs + smallestMs * growth ** bucket
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
