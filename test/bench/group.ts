import type { Rig } from './rig.ts'

/** What a group of figures is given. */
export interface BenchContext {
  /** Fewer and shorter measurements. */
  readonly isQuick: boolean
  /** How many virtual agents a fleet has. */
  readonly agents: number
  readonly signal: AbortSignal
  /** Redis, controller, agent and a container, started when first asked for. */
  rig(): Promise<Rig>
  /** Talk on stderr: what is being measured just now. */
  say(line: string): void
}

/** A table; the first row is the head. */
export interface Table {
  readonly title: string
  readonly rows: readonly (readonly string[])[]
  /** What a reader must know to judge it. */
  readonly notes: readonly string[]
  /** What could not be measured, and why. */
  readonly missing: readonly string[]
}

/** Measures; what cannot be measured at all is thrown. */
export type Group = (context: BenchContext) => Promise<Table | readonly Table[]>
