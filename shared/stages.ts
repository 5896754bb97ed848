/**
 * Stages of executions and attacks, and the only transitions between them. Names and order are those
 * of the known interface; the store applies the transitions atomically.
 */

/** Active stages in the order in which an execution passes them. */
const activeStages = ['Pending', 'Distributed', 'Initializing', 'Running', 'TearingDown'] as const

/** Stages of an execution that somebody is halting, in order. */
const haltingStages = [
  'Halt',
  'HaltDistributed',
  'InterruptTriggered',
  'RollbackTriggered',
  'RollbackStarted',
] as const

/** Terminal stages, the worst last. */
const terminalStages = [
  'Successful',
  'UserHalted',
  'TargetNotFound',
  'InvalidArgument',
  'ClientAborted',
  'InitializationFailed',
  'Failed',
  'LostCommunication',
  'HaltFailed',
  'TeardownFailed',
] as const

export const stages = [...activeStages, ...haltingStages, ...terminalStages] as const
export type Stage = (typeof stages)[number]
export type StageLifecycle = 'Active' | 'Halting' | 'Complete' | 'Error'

export const stageLifecycles = ['Active', 'Halting', 'Complete', 'Error'] as const

const rank = new Map<Stage, number>(stages.map((stage, index) => [stage, index]))

export function isStage(text: string): text is Stage {
  return rank.has(text as Stage)
}

export function isTerminal(stage: Stage): boolean {
  return (terminalStages as readonly Stage[]).includes(stage)
}

/** `Complete` and `Error` mean finished; a halt by a user is not an error. */
export function lifecycleOf(stage: Stage): StageLifecycle {
  if ((activeStages as readonly Stage[]).includes(stage)) return 'Active'
  if ((haltingStages as readonly Stage[]).includes(stage)) return 'Halting'
  return stage === 'Successful' || stage === 'UserHalted' ? 'Complete' : 'Error'
}

/**
 * The stages from which an execution may move to `to`: always forward, never out of a terminal stage.
 * So a late or repeated report changes nothing.
 */
export function allowedFrom(to: Stage): Stage[] {
  const target = rank.get(to) as number
  return stages.filter((from) => {
    if (isTerminal(from)) return false
    return isTerminal(to) || (rank.get(from) as number) < target
  })
}

/**
 * The attack's own stage: the furthest stage of those executions that are not over, else the worst
 * terminal one.
 */
export function attackStage(executions: readonly Stage[]): Stage {
  const active = executions.filter((stage) => !isTerminal(stage))
  const candidates = active.length > 0 ? active : executions
  return candidates.reduce<Stage>(
    (furthest, stage) =>
      (rank.get(stage) as number) > (rank.get(furthest) as number) ? stage : furthest,
    candidates[0] ?? 'Pending',
  )
}

/** Why an execution ended otherwise than asked; each has one stage. */
export const endReasons = {
  completed: 'Successful',
  halted: 'UserHalted',
  agent_restarted: 'ClientAborted',
  agent_stopped: 'ClientAborted',
  agent_frozen: 'ClientAborted',
  controller_lost: 'ClientAborted',
  target_gone: 'ClientAborted',
  superseded: 'ClientAborted',
  host_revoked: 'ClientAborted',
  expired_before_start: 'ClientAborted',
  target_not_found: 'TargetNotFound',
  invalid_argument: 'InvalidArgument',
  forbidden_by_owner: 'InitializationFailed',
  controller_host: 'InitializationFailed',
  unsupported: 'InitializationFailed',
  start_failed: 'InitializationFailed',
  fault_died: 'Failed',
  agent_silent: 'LostCommunication',
  left_behind: 'TeardownFailed',
} as const satisfies Record<string, Stage>
export type EndReason = keyof typeof endReasons

export function isEndReason(text: string): text is EndReason {
  return Object.hasOwn(endReasons, text)
}
