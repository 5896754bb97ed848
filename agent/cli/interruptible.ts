type InterruptSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/**
 * Does some work that Ctrl-C, or the end of a job, aborts instead of ending the process. Until the work is over, also
 * when it comes twice: the second one must not cut off what undoes the first.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signals: readonly InterruptSignal[] = ['SIGINT', 'SIGTERM'],
): Promise<T> {
  const interrupt = new AbortController()
  const onInterrupt = () => interrupt.abort()
  for (const signal of signals) process.on(signal, onInterrupt)
  try {
    return await work(interrupt.signal)
  } finally {
    for (const signal of signals) process.off(signal, onInterrupt)
  }
}
