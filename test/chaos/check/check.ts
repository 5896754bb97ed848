import type { History } from '../history.ts'
import * as effects from './effects.ts'
import type { Invariant, Violation } from './invariant.ts'
import * as records from './records.ts'

/** Everything that must be true whatever was killed, frozen or cut. */
export const invariants: readonly Invariant[] = [
  records.kept,
  records.settled,
  records.carriedOut,
  records.oneKeyOneAttack,
  records.askedFor,
  records.terminalIsFinal,
  records.nothingLeft,
  records.journalsClosed,
  effects.once,
  effects.inTime,
  effects.haltIsFinal,
  effects.deadMan,
  effects.rightHost,
  effects.askedHosts,
  effects.liveHosts,
  effects.notRevoked,
]

/** What in this history must not have happened. */
export function check(history: History): Violation[] {
  return invariants.flatMap((invariant) =>
    invariant.check(history).map((found) => ({ invariant: invariant.name, ...found })),
  )
}
