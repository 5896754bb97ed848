/** A terminal, npm and a launcher may each pass on the same Ctrl-C; within this they are one. */
const sameSignalMs = 500

/**
 * Calls `first` at the first SIGINT, SIGTERM or SIGHUP and `again` at a later one. Gives the function
 * that ends this watch.
 */
export function onEndSignals(first: (signal: string) => void, again: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let firstAt: number | undefined
  const handle = (signal: string) => {
    const now = performance.now()
    if (firstAt === undefined) {
      firstAt = now
      first(signal)
    } else if (now - firstAt > sameSignalMs) {
      again()
    }
  }
  for (const signal of signals) process.on(signal, handle)
  return () => {
    for (const signal of signals) process.off(signal, handle)
  }
}
