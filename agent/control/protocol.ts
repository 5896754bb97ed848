import type { AttackParams } from '../../shared/attacks/index.ts'
import type { ExecutionUpdate } from '../execution-update.ts'
import type { Capability } from '../inventory.ts'
import type { Report } from '../journal.ts'
import type { OwnerLimits } from '../owner-limits.ts'

/** What the command line asks of the agent on this host: one JSON object a line. */
export type ControlRequest =
  | { readonly op: 'status' }
  | { readonly op: 'attack'; readonly attack: LocalAttack }
  | { readonly op: 'rollback' }

/** An attack that somebody starts on this host. */
export interface LocalAttack {
  readonly attackType: string
  readonly params: AttackParams
  /** Id or name of a container; the host itself without it. */
  readonly container?: string
}

/** What the agent answers; `report`, `status`, `reverted` and `error` are last words. */
export interface ControlAnswer {
  readonly update?: ExecutionUpdate
  readonly report?: LocalReport
  readonly status?: AgentStatus
  readonly reverted?: RollbackResult
  readonly error?: string
}

export interface LocalReport extends Report {
  readonly executionId: string
  readonly attackId: string
}

export interface RunningAttack {
  readonly executionId: string
  readonly attackId: string
  readonly attackType: string
  readonly container: string | null
  readonly stage: string
  readonly secondsLeft: number | null
  /** Started on this host rather than by the controller. */
  readonly local: boolean
}

export interface AgentStatus {
  readonly identifier: string
  readonly instanceId: string
  readonly version: string
  readonly pid: number
  readonly controller: {
    readonly address: string
    readonly connected: boolean
    readonly problem: string | null
  } | null
  readonly running: readonly RunningAttack[]
  readonly capabilities: readonly Capability[]
  readonly limits: OwnerLimits
  readonly containers: number
  /** What the owner of the host should see to, in sentences: what is left behind, and a journal that cannot be written. */
  readonly problems: readonly string[]
}

export interface RollbackResult {
  /** Executions that were running and have been ended. */
  readonly ended: readonly string[]
  /** What is left behind in spite of it; empty when all is clean. */
  readonly leftBehind: readonly string[]
}
