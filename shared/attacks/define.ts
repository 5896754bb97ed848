import type { FaultPrivilege } from '../roles.ts'
import type { Effect } from '../effect.ts'
import type { Params, Values } from './params.ts'

/** How a parameter is spelt on a command line: `-l 60`, `--length 60`. */
export interface Flag {
  readonly short?: string
  readonly long: string
}

/** What a fault may be aimed at. */
export type TargetKind = 'Host' | 'Container'

/** What the target can give, as the agent found it; effects are stated as shares of it. */
export interface Capacity {
  /** CPU cores: of the host, or what the container's quota and cpuset leave it. */
  readonly cores: number
}

/** Two parameters that, as given, cannot both be meant. */
export interface Contradiction {
  readonly params: readonly [string, string]
  readonly message: string
}

/** A parameter that, as given, has no meaning on one kind of target. */
export interface Unfit {
  readonly param: string
  readonly message: string
}

/** What becomes of a host that an attack takes down. */
export interface GoingDown {
  /** Whether it comes back by itself; then its return is the proof, else its silence. */
  readonly comesBack: boolean
  /** How long after the length of the attack that may take, in seconds. */
  readonly settleSeconds: number
}

/**
 * One attack type, defined once. API validation, CLI options and help, `GET /v1/metadata`, the web
 * form, the agent's parameters and the docs tables all come from this.
 */
export interface AttackType<P extends Params = Params> {
  readonly type: string
  readonly title: string
  readonly category: 'Resource' | 'State' | 'Network'
  readonly summary: string
  /** Parameters with unit, default and limits; every property has a default. */
  readonly params: P
  /** One flag for each parameter. */
  readonly flags: { readonly [K in keyof P]: Flag }
  /** Pairs of parameters that contradict each other when both are given. */
  readonly conflicts: readonly (readonly [keyof P & string, keyof P & string])[]
  /** Contradictions between values. */
  readonly contradiction?: (params: Values<P>) => Contradiction | undefined
  readonly targets: readonly TargetKind[]
  /** Parameters that have no meaning on this kind of target. */
  readonly unfit?: (params: Values<P>, target: TargetKind) => Unfit | undefined
  /** What the host must offer, in words for people; `probe()` of the fault decides. */
  readonly needs: readonly string[]
  /** The team privilege that running it requires besides EXPERIMENTS_RUN. */
  readonly privilege: FaultPrivilege
  /** How long the fault lasts, in seconds. */
  readonly lengthSeconds: (params: Values<P>) => number
  /** Set for a type that takes the host itself down; undefined for this target when it does not. */
  readonly goesDown?: (params: Values<P>, target: TargetKind) => GoingDown | undefined
  /** What people should know before they say yes; shown by the preview. */
  readonly warnings?: (params: Values<P>, target: TargetKind) => readonly string[]
  /** The effect asked for on a target of this capacity, in the terms in which it is measured. */
  readonly requested: (params: Values<P>, capacity: Capacity) => Effect
}

/** States an attack type; the compiler checks that flags and parameters have the same keys. */
export function defineAttack<P extends Params>(type: AttackType<P>): AttackType<P> {
  return type
}
