/** Whether an agent may come in now, or after how many ms it should ask again. */
export type Admission =
  | { readonly ok: true }
  | { readonly ok: false; readonly retryAfterMs: number }

/**
 * Lets in so many agents a second, and as many at once after a quiet second. Those who are sent away are told to come
 * back one after the other, the later the more of them there are.
 */
export function createRegistrations(
  perSecond: number,
  now: () => number = () => performance.now(),
): () => Admission {
  let tokens = perSecond
  let sentAway = 0
  let lastMs = now()
  return () => {
    const atMs = now()
    const gained = ((atMs - lastMs) / 1_000) * perSecond
    lastMs = atMs
    sentAway = Math.max(0, sentAway - gained)
    tokens = Math.min(perSecond, tokens + gained)
    if (tokens >= 1) {
      tokens -= 1
      return { ok: true }
    }
    sentAway += 1
    return { ok: false, retryAfterMs: Math.ceil((sentAway / perSecond) * 1_000) }
  }
}
