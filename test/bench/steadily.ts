import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does something at a steady rate, whether or not the last one is over: who waits for answers asks less
 * often the slower they come, and never sees the worst.
 */
export async function steadily(
  what: (index: number) => Promise<unknown>,
  { perSecond, count }: { perSecond: number; count: number },
): Promise<void> {
  const startedAt = performance.now()
  const all: Promise<unknown>[] = []
  for (let index = 0; index < count; index += 1) {
    const waitMs = startedAt + (index * 1000) / perSecond - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    all.push(what(index))
  }
  await Promise.all(all)
}
