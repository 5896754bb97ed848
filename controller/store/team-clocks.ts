import { commandTimeoutMs, redisNowMs, type Redis } from './redis.ts'
import { keys } from './keys.ts'

/** What is known of a clock is good for so long: clocks are set now and then. */
const knownForMs = 30_000
/** So many are remembered. */
const mostClocks = 10_000

/** How far a clock is ahead of `performance.now()`: between these, as its answer took some time. */
interface Reading {
  readonly leastMs: number
  readonly mostMs: number
}

interface Clock extends Reading {
  readonly readAtMs: number
  /** The newest answer by itself: nothing older than two answers counts. */
  readonly own: Reading
}

/** What a script answers; the first word says of what kind it is. */
export type Answer = [string, ...string[]]

/** The clocks of the servers that keep the data of teams; those of a Cluster need not agree. */
export interface TeamClocks {
  /** Reads the clock of a team if it is not known. */
  read(teamId: string): Promise<void>
  /**
   * Runs a script that begins something, and tells it by when, on Redis' clock, it has to: from then on whoever asked
   * has been told that storage does not answer. It answers `late` when that has passed, as it does after Redis stood
   * still, and has done nothing.
   */
  inTime<T extends readonly [string, ...unknown[]]>(
    teamId: string,
    run: (byMs: number) => Promise<T>,
  ): Promise<T>
  /** How long ago, in ms, this was Redis' time, at the most; undefined when the clock is not known. */
  ageMs(teamId: string, atMs: number): number | undefined
}

/** Opens the memory of clocks. */
export function openTeamClocks(redis: Redis): TeamClocks {
  const clocks = new Map<string, Clock>()
  const knownOf = (teamId: string): Clock | undefined => {
    const known = clocks.get(teamId)
    return known && performance.now() - known.readAtMs < knownForMs ? known : undefined
  }
  const read = async (teamId: string): Promise<Clock> => {
    const known = knownOf(teamId)
    if (known) return known
    const askedMs = performance.now()
    const nowMs = await redisNowMs(redis, keys.hosts(teamId))
    const clock = toClock(askedMs, nowMs, clocks.get(teamId)?.own)
    if (clocks.size >= mostClocks) clocks.clear()
    clocks.set(teamId, clock)
    return clock
  }
  const runBy = async <T>(
    teamId: string,
    run: (byMs: number) => Promise<T>,
    bound: keyof Reading,
  ): Promise<T> => {
    const clock = await read(teamId)
    return await run(Math.floor(performance.now() + commandTimeoutMs + clock[bound]))
  }
  return {
    async read(teamId) {
      await read(teamId)
    },
    ageMs(teamId, atMs) {
      const known = knownOf(teamId)
      const ageMs = known && performance.now() + known.mostMs - atMs
      if (ageMs === undefined || ageMs >= 0) return ageMs
      // It comes from the future: the clock was set.
      clocks.delete(teamId)
      return undefined
    },
    async inTime(teamId, run) {
      const answer = await runBy(teamId, run, 'leastMs')
      if (answer[0] !== 'late') return answer
      // Somebody waits for it all the same: the clock was set meanwhile, or its answer took long.
      clocks.delete(teamId)
      const again = await runBy(teamId, run, 'mostMs')
      if (again[0] === 'late') throw new Error('Command timed out, by the clock of Redis.')
      return again
    },
  }
}

/** An answer that took long says little; the one before may say more. */
function toClock(askedMs: number, nowMs: number, before: Reading | undefined): Clock {
  const readAtMs = performance.now()
  // Redis leaves out the part of a millisecond.
  const own = { leastMs: nowMs - readAtMs, mostMs: nowMs + 1 - askedMs }
  const isSame = before && before.leastMs <= own.mostMs && own.leastMs <= before.mostMs
  if (!isSame) return { ...own, own, readAtMs }
  const leastMs = Math.max(own.leastMs, before.leastMs)
  return { leastMs, mostMs: Math.min(own.mostMs, before.mostMs), own, readAtMs }
}
