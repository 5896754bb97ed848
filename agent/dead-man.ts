/** An idle agent should not wake up more often than it must. */
const checkEveryMs = 1_000
/** A check that comes this much later than it should means that the whole process stood still. */
const frozenMs = 10_000

/**
 * Calls `onSilence` when nothing was heard for too long while something runs. After a time in which
 * the process itself stood still one check is left out, so that faults that ended for that reason
 * are reported as such.
 * @returns `heard` for every word of the controller, and `stop`
 */
export function watchForSilence(options: {
  isRunning: () => boolean
  limitMs: () => number
  onSilence: (silentMs: number) => void
}): { heard(): void; stop(): void } {
  let heardAt = performance.now()
  let checkedAt = heardAt
  const timer = setInterval(() => {
    const now = performance.now()
    const stoodStill = now - checkedAt > frozenMs
    checkedAt = now
    const silentMs = now - heardAt
    if (!stoodStill && silentMs > options.limitMs() && options.isRunning())
      options.onSilence(silentMs)
  }, checkEveryMs)
  return {
    heard: () => {
      heardAt = performance.now()
    },
    stop: () => clearInterval(timer),
  }
}
