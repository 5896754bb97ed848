import { setTimeout as delay } from 'node:timers/promises'

/** Questions to the API are asked less often: a token has 600 requests a minute. */
export const apiPollMs = 200

/**
 * Asks again every 50 ms until the answer is neither undefined, null nor false, and returns it.
 * @throws Error naming what did not happen, with the last error of the question
 */
export async function until<T>(
  what: string,
  question: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  withinMs = 15_000,
  everyMs = 50,
): Promise<T> {
  const deadline = performance.now() + withinMs
  let last: unknown
  for (;;) {
    try {
      const answer = await question()
      if (answer !== undefined && answer !== null && answer !== false) return answer
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > deadline)
      throw new Error(`Not within ${withinMs} ms: ${what}`, { cause: last })
    await delay(everyMs)
  }
}

/** Lets time pass where the passing of time is what is tested (a fault that must stay away). */
export async function elapse(milliseconds: number): Promise<void> {
  await delay(milliseconds)
}
