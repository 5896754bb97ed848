/**
 * Packets that are held, in the order in which they came. What came together (one reading of the
 * socket) is one entry, since it also goes together. Nothing is allocated after the start.
 */
export class HeldPackets {
  private readonly arrivals: Float64Array
  private readonly lastIds: Uint32Array
  private readonly counts: Uint32Array
  private oldest = 0
  private entries = 0
  /** How many packets are held. */
  size = 0

  /** @param capacity the most entries; beyond it what comes joins the newest entry */
  constructor(capacity: number) {
    this.arrivals = new Float64Array(capacity)
    this.lastIds = new Uint32Array(capacity)
    this.counts = new Uint32Array(capacity)
  }

  /** Adds `count` packets, of which the last one has the id `lastId`. */
  add(arrivedAt: number, lastId: number, count: number): void {
    this.size += count
    if (this.entries === this.arrivals.length) {
      const newest = (this.oldest + this.entries - 1) % this.arrivals.length
      this.lastIds[newest] = lastId
      this.counts[newest] = (this.counts[newest] ?? 0) + count
      return
    }
    const slot = (this.oldest + this.entries) % this.arrivals.length
    this.arrivals[slot] = arrivedAt
    this.lastIds[slot] = lastId
    this.counts[slot] = count
    this.entries++
  }

  /** When the oldest came; Infinity when none is held. */
  get oldestArrival(): number {
    return this.entries === 0 ? Infinity : (this.arrivals[this.oldest] ?? Infinity)
  }

  /** The id up to which the oldest entry goes. */
  get oldestLastId(): number {
    return this.lastIds[this.oldest] ?? 0
  }

  /** How many packets the oldest entry has. */
  get oldestCount(): number {
    return this.counts[this.oldest] ?? 0
  }

  dropOldest(): void {
    this.size -= this.oldestCount
    this.oldest = (this.oldest + 1) % this.arrivals.length
    this.entries--
  }
}
