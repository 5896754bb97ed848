/** What runs is measured so often at most, ms; figures are due at one of these ticks. */
export const figuresTickMs = 1000

/** Says when the figures of one execution are due, as often as the controller wants them. */
export class FiguresClock {
  #everyMs = figuresTickMs
  #nextMs = 0

  /** To be asked at each tick. `everyMs` as the controller said last; less than a tick is each tick. */
  isDue(nowMs: number, everyMs: number): boolean {
    if (everyMs !== this.#everyMs) {
      this.#everyMs = everyMs
      // Executions that began together do not report together for ever.
      this.#nextMs = nowMs + Math.random() * everyMs
    }
    if (everyMs <= figuresTickMs) return true
    // The nearest tick counts.
    if (nowMs < this.#nextMs - figuresTickMs / 2) return false
    this.#nextMs = Math.max(this.#nextMs + everyMs, nowMs)
    return true
  }
}
