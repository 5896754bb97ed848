import type { Attack, Execution } from '../../shared/api/records.ts'
import { timestamp } from '../../shared/api/timestamp.ts'
import { attackStage, isTerminal, lifecycleOf } from '../../shared/stages.ts'
import type { AttackRecord } from '../store/attack-record.ts'
import type { ExecutionBrief, ExecutionRecord, StageAt } from '../store/execution-record.ts'

/** An attack as the API shows it: the record and what follows from its executions. */
export function toAttack(record: AttackRecord, executions: readonly ExecutionBrief[]): Attack {
  const stage = attackStage(executions.map((execution) => execution.stage))
  const hosts = [...new Set(executions.map((execution) => execution.host))]
  const lastChangeMs = Math.max(record.createdMs, ...executions.map((one) => one.updatedMs))
  return {
    guid: record.id,
    org_id: record.teamId,
    owning_team_id: record.teamId,
    stage,
    stage_lifecycle: lifecycleOf(stage),
    execution_stage_summary: countStages(executions),
    create_source: record.source,
    create_user: record.createdBy,
    kind: 'ADHOC',
    command_type: record.type,
    args: [...record.args],
    length_seconds: record.lengthSeconds,
    target_type: executions.some((execution) => execution.containerId) ? 'Container' : 'Host',
    target: structuredClone(record.target) as Attack['target'],
    targets: hosts,
    target_containers: containersByHost(executions),
    targets_without_container: [...record.withoutContainer],
    total_clients: hosts.length,
    start_time: timestamp(record.createdMs),
    end_time: endOf(executions),
    halted_by: record.halted?.by ?? null,
    halt_reason: record.halted?.reason || null,
    halt_reference: record.halted?.reference || null,
    annotations: record.annotations ?? null,
    created_at: timestamp(record.createdMs),
    updated_at: timestamp(lastChangeMs),
  }
}

function countStages(executions: readonly ExecutionBrief[]): Record<string, number> {
  const byStage = Map.groupBy(executions, (execution) => execution.stage)
  return Object.fromEntries([...byStage].map(([stage, ones]) => [stage, ones.length]))
}

function containersByHost(executions: readonly ExecutionBrief[]): Record<string, string[]> {
  const byHost = Object.create(null) as Record<string, string[]>
  for (const { host, containerId } of executions)
    if (containerId) (byHost[host] ??= []).push(containerId)
  return byHost
}

/** When the last execution ended; null while one is not over. */
function endOf(executions: readonly ExecutionBrief[]): string | null {
  const isOver = executions.every((execution) => isTerminal(execution.stage))
  return isOver
    ? timestamp(Math.max(0, ...executions.map((execution) => execution.endMs ?? 0)))
    : null
}

/** An execution as the API shows it. */
export function toExecution(attack: AttackRecord, execution: ExecutionRecord): Execution {
  return {
    guid: execution.id,
    org_id: attack.teamId,
    task_id: attack.id,
    target_type: execution.containerId ? 'Container' : 'Host',
    client_id: execution.host,
    guest_id: execution.containerId ?? null,
    guest_name: execution.containerName ?? null,
    stage: execution.stage,
    stage_lifecycle: lifecycleOf(execution.stage),
    service_states: execution.serviceStates.map(toState),
    client_states: execution.clientStates.map(toState),
    start_time: timestamp(execution.createdMs),
    end_time: execution.endMs === undefined ? null : timestamp(execution.endMs),
    command_type: attack.type,
    args: [...attack.args],
    requested: execution.requested ?? null,
    measured: execution.measured ?? null,
    backend: execution.backend ?? null,
    reason: execution.reason ?? null,
    output: execution.output,
    client_version: execution.clientVersion ?? null,
    create_source: attack.source,
    created_at: timestamp(execution.createdMs),
    updated_at: timestamp(execution.updatedMs),
  }
}

function toState({ stage, atMs }: StageAt): { stage: StageAt['stage']; timestamp: string } {
  return { stage, timestamp: timestamp(atMs) }
}
