import type { Static, TObject } from 'typebox'
import type { FaultPrivilege } from '../roles.ts'
import type { Effect } from '../effect.ts'

/** How a parameter is spelt on a command line: `-l 60`, `--length 60`. */
export interface Flag {
  readonly short: string
  readonly long: string
}

/** What a fault may be aimed at. */
export type TargetKind = 'Host' | 'Container'

/** What the target can give, as the agent found it; effects are stated as shares of it. */
export interface Capacity {
  /** CPU cores: of the host, or what the container's quota and cpuset leave it. */
  readonly cores: number
}

/**
 * One attack type, defined once. API validation, CLI options and help, `GET /v1/metadata`, the web
 * form, the agent's parameters and the docs tables all come from this.
 */
export interface AttackType<P extends TObject = TObject> {
  readonly type: string
  readonly title: string
  readonly category: 'Resource' | 'State' | 'Network'
  readonly summary: string
  /** Parameters with unit, default and limits; every property has a default. */
  readonly params: P
  /** One flag for each parameter. */
  readonly flags: { readonly [K in keyof Static<P>]: Flag }
  /** Pairs of parameters that contradict each other when both are given. */
  readonly conflicts: readonly (readonly [keyof Static<P> & string, keyof Static<P> & string])[]
  readonly targets: readonly TargetKind[]
  /** What the host must offer, in words for people; `probe()` of the fault decides. */
  readonly needs: readonly string[]
  /** The team privilege that running it requires besides EXPERIMENTS_RUN. */
  readonly privilege: FaultPrivilege
  /** How long the fault lasts, in seconds. */
  readonly lengthSeconds: (params: Static<P>) => number
  /** The effect asked for on a target of this capacity, in the terms in which it is measured. */
  readonly requested: (params: Static<P>, capacity: Capacity) => Effect
}

/** States an attack type; the compiler checks that flags and parameters have the same keys. */
export function defineAttack<P extends TObject>(type: AttackType<P>): AttackType<P> {
  return type
}
