/** An idle agent should not wake up more often than it must. */
const checkEveryMs = 1_000
/** A check that comes this much later than it should means that the whole process stood still. */
const frozenMs = 10_000

/**
 * After such a time the silence may last this much longer: what the controller said meanwhile is
 * still to be read, and faults that ended for that reason are to be seen and reported as such.
 */
const graceMs = 10_000

/**
 * Calls `onSilence` when nothing was heard for too long while something should be: only such a time counts.
 * @returns `heard` for every word of the controller, and `stop`
 */
export function watchForSilence(options: {
  isExpected: () => boolean
  limitMs: () => number
  onSilence: (silentMs: number) => void
}): { heard(): void; stop(): void } {
  let heardAt = performance.now()
  let checkedAt = heardAt
  let notBefore = heardAt
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - checkedAt > frozenMs) notBefore = now + graceMs
    checkedAt = now
    if (!options.isExpected()) heardAt = now
    const silentMs = now - heardAt
    if (silentMs > options.limitMs() && now > notBefore) options.onSilence(silentMs)
  }, checkEveryMs)
  return {
    heard: () => {
      heardAt = performance.now()
    },
    stop: () => clearInterval(timer),
  }
}
