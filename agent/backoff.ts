import type { ServiceError } from '@grpc/grpc-js'

const firstMs = 500
const longestMs = 10_000
/** A host under attack must be heard of again before it gives its controller up. */
const longestWhileRunningMs = 2000
/** Whatever a controller says: nobody is away for longer. */
const longestToldMs = 120_000

/**
 * How long to wait before connecting again: full jitter up to 0.5 s · 2^attempt, at most 10 s. While
 * attacks run, the first attempt is made at once. Where the controller said when to come back (`toldMs`), it is
 * between that and twice as long.
 */
export function reconnectDelayMs(
  attempt: number,
  isRunning: boolean,
  toldMs?: number,
  random: () => number = Math.random,
): number {
  if (isRunning && attempt === 0) return 0
  if (toldMs !== undefined && !isRunning) return Math.min(toldMs, longestToldMs) * (1 + random())
  const cap = isRunning ? longestWhileRunningMs : longestMs
  return random() * Math.min(cap, firstMs * 2 ** Math.min(attempt, 16))
}

/** When to leave a controller that is about to stop: at once while attacks run, else anywhere in its window. */
export function moveDelayMs(
  window: { readonly reconnectMinMs: number; readonly reconnectMaxMs: number },
  isRunning: boolean,
  random: () => number = Math.random,
): number {
  if (isRunning) return 0
  const { reconnectMinMs: min, reconnectMaxMs: max } = window
  return min + random() * Math.max(0, max - min)
}

/** In how many ms the controller said to come back; undefined when it did not. */
export function retryAfterMsOf(error: ServiceError): number | undefined {
  const ms = Number(error.metadata.get('retry-after')[0]) * 1_000
  return ms > 0 ? ms : undefined
}
