const enoughRounds = 15
const mostRounds = 150

/**
 * How long each way takes at best, in milliseconds: the shortest of many times, the ways in turn.
 * Other work on the machine adds to a time and never takes from it, so the shortest tell the ways apart;
 * on a busy one that needs more rounds, so it goes on until they are `alike`, or 150 rounds are over.
 * @param prepare before each round
 */
export async function quickestMs<K extends string>(
  ways: Readonly<Record<K, () => Promise<unknown>>>,
  alike: (best: Readonly<Record<K, number>>) => boolean,
  prepare: () => Promise<unknown>,
): Promise<Record<K, number>> {
  const names = Object.keys(ways) as K[]
  const best = Object.fromEntries(names.map((name) => [name, Infinity])) as Record<K, number>
  for (let round = 0; round < mostRounds; round += 1) {
    if (round >= enoughRounds && alike(best)) break
    await prepare()
    for (const name of names) {
      const began = performance.now()
      await ways[name]()
      best[name] = Math.min(best[name], performance.now() - began)
    }
  }
  return best
}

/** Whether one hash of a password is in each: without it an answer comes in a tenth of the time. */
export function takeAsLong(...times: readonly number[]): boolean {
  return Math.max(...times) < 1.6 * Math.min(...times)
}

/** The shortest of three times that it took, in milliseconds: other work on the machine adds to one. */
export async function shortestMs(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  while (times.length < 3) {
    const began = performance.now()
    await act()
    times.push(performance.now() - began)
  }
  return Math.min(...times)
}
