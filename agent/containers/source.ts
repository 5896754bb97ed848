import type { ContainerTarget } from '../faults/fault.ts'
import { PlainError } from '../plain-error.ts'

/** A container as the engine describes it now. */
export interface ContainerState {
  readonly id: string
  readonly name: string
  readonly paused: boolean
  /** The owner forbids touching it, by label. */
  readonly protected: boolean
  /** undefined while it does not run. */
  readonly target: ContainerTarget | undefined
}

/** What happened to a container; `unknown` when events may have been missed. */
export type ContainerEvent = 'start' | 'die' | 'pause' | 'unpause' | 'destroy' | 'unknown'

/** Where an executor looks containers up and hears what becomes of them. */
export interface ContainerSource {
  /**
   * The container with this id or name; undefined when there is none.
   * @throws EngineError when the engine cannot be asked
   */
  resolve(idOrName: string): Promise<ContainerState | undefined>
  /** Calls back at every event of this container. @returns ends it */
  follow(id: string, listener: (event: ContainerEvent) => void): () => void
}

/** How a container runs, beside what it is. */
export interface ContainerRun {
  readonly running: boolean
  readonly paused: boolean
  /** ISO 8601; another one after each start. */
  readonly startedAt: string
  /** How often its restart policy has started it. */
  readonly restartCount: number
  /** `no`, `always`, `unless-stopped`, `on-failure`, `on-failure:3` */
  readonly restartPolicy: string
  readonly exitCode: number
}

/** What takes containers down and sees what becomes of them. */
export interface ContainerControl extends ContainerSource {
  /**
   * How this container runs now; undefined when there is none.
   * @throws EngineError when the engine cannot be asked
   */
  inspect(id: string): Promise<ContainerRun | undefined>
  /**
   * Asks it to end and kills it after `graceSeconds`; a restart policy does not start it again.
   * @throws EngineError with the engine's own words
   */
  stop(id: string, graceSeconds: number): Promise<void>
  /** The same, and starts it again. @throws EngineError with the engine's own words */
  restart(id: string, graceSeconds: number): Promise<void>
}

/** The container engine is not there or does not answer; the message says where it was looked for. */
export class EngineError extends PlainError {
  override readonly name = 'EngineError'
}
