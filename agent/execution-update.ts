import type { Effect } from '../shared/effect.ts'
import type { EndReason, Stage } from '../shared/stages.ts'

/** What an executor is asked to do. Parameters are checked by the execution. */
export interface RunOrder {
  readonly executionId: string
  readonly generation: number
  readonly attackId: string
  readonly attackType: string
  readonly params: unknown
  readonly container?: { readonly id: string; readonly name: string }
  /** Started on this host; goes on without a controller. */
  readonly local: boolean
}

/** A stage that an execution reached, or new figures in the same stage. */
export interface ExecutionUpdate {
  readonly executionId: string
  readonly generation: number
  readonly local: boolean
  readonly seq: number
  readonly stage: Stage
  /** When the stage is terminal. */
  readonly reason?: EndReason
  readonly message: string
  /** When it happened, on the monotonic clock of this process (performance.now(), ms). */
  readonly atMs: number
  readonly requested?: Effect
  readonly measured?: Effect
  readonly backend?: string
}
