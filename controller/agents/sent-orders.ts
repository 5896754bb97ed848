/** What was sent for so long without an acknowledgement is sent again, in ms: the agent could not write it down. */
const againAfterMs = 10_000

/**
 * The orders that went out over one session and whose acknowledgements are not on disk. They stand in the outbox, but
 * sending them again with each heartbeat would give a controller that is behind more to do.
 */
export class SentOrders {
  readonly #sent = new Map<string, { readonly generation: number; untilMs: number }>()

  /** Notes an order; false when the agent has it, or should have it soon. */
  add(executionId: string, generation: number): boolean {
    const nowMs = performance.now()
    const known = this.#sent.get(executionId)
    if (known?.generation === generation && nowMs < known.untilMs) return false
    this.#sent.set(executionId, { generation, untilMs: nowMs + againAfterMs })
    return true
  }

  /** The agent has it; that is being written. */
  acknowledged(executionId: string, generation: number): void {
    const known = this.#sent.get(executionId)
    if (known?.generation === generation) known.untilMs = Number.POSITIVE_INFINITY
  }

  /** That the agent has it is on disk, or means nothing. */
  settled(executionId: string, generation: number): void {
    if (this.#sent.get(executionId)?.generation === generation) this.#sent.delete(executionId)
  }
}
