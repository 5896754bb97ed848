import type { AttackParams } from '../../shared/attacks/index.ts'
import type { TargetKind } from '../../shared/attacks/define.ts'
import type { Effect } from '../../shared/effect.ts'
import type { ProcessIdentity } from '../host/processes.ts'

/** A container in one incarnation; it has another `init` after a restart. */
export interface ContainerTarget {
  readonly kind: 'Container'
  readonly id: string
  readonly name: string
  readonly startedAt: string
  readonly init: ProcessIdentity
}

export type FaultTarget = { readonly kind: 'Host' } | ContainerTarget

/** What takes one side effect back; plain JSON, because it goes through the journal. */
export type UndoRecord = Readonly<Record<string, string | number>>

export interface Prepared {
  readonly requested: Effect
  /** The mechanism that carries the fault, for people. */
  readonly backend: string
  readonly undo: readonly UndoRecord[]
  /** Brings the fault about; resolves when it is there. What `undo` names may exist from here on. */
  start(): Promise<FaultHandle>
}

/** Where the agent's controller is reached. */
export interface Endpoint {
  /** IPv4 or IPv6. */
  readonly address: string
  readonly port: number
}

/** Whether this host can do it; the reason is a plain sentence without a full stop. */
export type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly reason: string }

export interface FaultContext {
  /** Names what the fault makes; an agent removes only what carries its own instance. */
  readonly instanceId: string
  readonly executionId: string
  readonly attackId: string
  /** How long the fault may last once it is there. It must end by then without its agent, too. */
  readonly remainingMs: number
  /** Aborted when the attack is halted while it starts. */
  readonly signal: AbortSignal
  /** Where the control plane is now; a fault must not cut it off by accident. */
  readonly controlPlane: () => Promise<readonly Endpoint[]>
}

/** Why a fault ended although nobody stopped it. */
export interface FaultDeath {
  /** `deadline`: its own clock; `silence`: it did not hear from its agent; `target`: target gone. */
  readonly cause: 'deadline' | 'silence' | 'target' | 'crash'
  readonly message: string
}

/** What was measured: since the last call, and since the fault is there. */
export interface Measurement {
  readonly latest: Effect
  readonly whole: Effect
  readonly wholeMs: number
}

/** What became of a fault that acts once, when its length is over. */
export interface StrikeOutcome {
  readonly reason: 'completed' | 'fault_died' | 'target_gone' | 'agent_restarted'
  readonly message: string
  readonly measured?: Effect
}

/** The host goes down, and this process with it. */
export interface GoingDown {
  /** Settles only when the host is up in spite of everything. */
  readonly survived: Promise<StrikeOutcome>
}

/** A strike that was under way when its agent ended. */
export interface InterruptedStrike {
  readonly params: AttackParams
  readonly targetKind: TargetKind
  readonly bootIdBefore: string
  readonly bootIdNow: string
  /** Wall clock, epoch ms; may be off by as much as the clock was set. */
  readonly atMs: number
}

/** A fault that is there. */
export interface FaultHandle {
  /** undefined when there is nothing to measure (yet, or any more). */
  measure(): Measurement | undefined
  /** Takes the fault away and waits until it is gone; any number of times. */
  stop(): Promise<void>
  readonly died: Promise<FaultDeath>
  /** What people should know about how it went; part of the report. */
  notes?(): readonly string[]
  /** What is going to happen, for people; shown while it runs. */
  readonly announcement?: string
  /**
   * Set for a fault that acts once, when its length is over, and cannot take it back. Called at most
   * once; after it the execution is over.
   */
  strike?(): Promise<StrikeOutcome | GoingDown>
}

/** A note that is true of an attack only when it is of every incarnation of its target. */
export const nothingSeen = 'No packet of the chosen traffic was seen.'

/** One kind of fault. It knows nothing of controllers, journals and timers. */
export interface Fault<P = AttackParams> {
  /** Asks the host without changing it. */
  probe(targetKind: TargetKind): Promise<ProbeResult>
  /** Looks at the target and refuses what cannot be done; changes nothing. */
  prepare(params: P, target: FaultTarget, context: FaultContext): Promise<Prepared>
  /** Takes back what a record names, if it is (still) there, and makes sure that it is gone. */
  undo(record: UndoRecord): Promise<void>
  /** Of faults that strike: what became of one; undefined while that cannot be told yet. */
  afterStrike?(strike: InterruptedStrike): Promise<StrikeOutcome | undefined>
}

export type FaultErrorKind =
  | 'unsupported'
  | 'missing-tool'
  | 'no-permission'
  | 'target-gone'
  | 'failed'

/** A fault could not be brought about or taken away. */
export class FaultError extends Error {
  readonly kind: FaultErrorKind
  /** Whether something of it may be there nevertheless. */
  readonly mayBeActive: boolean
  constructor(
    kind: FaultErrorKind,
    message: string,
    options: { mayBeActive?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'FaultError'
    this.kind = kind
    this.mayBeActive = options.mayBeActive ?? false
  }
}
