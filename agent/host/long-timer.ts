/** The longest delay of setTimeout (about 24 days); a longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1

/**
 * Calls back when the monotonic clock reaches `atMs` (of performance.now()), however far off, and
 * says how late it is.
 * @returns cancels it
 */
export function callAt(atMs: number, callback: (lateMs: number) => void): () => void {
  let timer: NodeJS.Timeout
  const wait = () => {
    const leftMs = atMs - performance.now()
    if (leftMs <= 0) return callback(-leftMs)
    timer = setTimeout(wait, Math.min(Math.ceil(leftMs), longestDelayMs))
  }
  timer = setTimeout(wait, Math.min(Math.max(0, atMs - performance.now()), longestDelayMs))
  return () => clearTimeout(timer)
}
