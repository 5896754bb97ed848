/** So many figures a second one controller takes from all its agents. */
const figuresPerSecond = 2_000
const shortestMs = 1_000
/** The count of what runs is good for so long. */
const countedForMs = 250

/**
 * How often agents are to report figures, in ms: each second, and less often when more runs than one controller can
 * hear of each second. `count` says how many executions its agents have.
 */
export function figuresPace(count: () => number): () => number {
  let countedAtMs = Number.NEGATIVE_INFINITY
  let everyMs = shortestMs
  return () => {
    const nowMs = performance.now()
    if (nowMs - countedAtMs < countedForMs) return everyMs
    countedAtMs = nowMs
    // In whole seconds: agents look at it once a second.
    everyMs = Math.max(shortestMs, Math.ceil(count() / figuresPerSecond) * 1_000)
    return everyMs
  }
}
