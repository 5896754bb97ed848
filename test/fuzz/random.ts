/** Numbers that follow from a seed: the same seed, the same requests. */
export interface Random {
  /** From 0 up to 1, without 1. */
  next(): number
  /** A whole number from `least` to `most`. */
  int(least: number, most: number): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
}

/** The generator of one request of one run. */
export function randomOf(seed: number, index: number): Random {
  // mulberry32
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(index + 1, 0xc2b2ae35)) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick: (list) => list[int(0, list.length - 1)] as never,
  }
}
