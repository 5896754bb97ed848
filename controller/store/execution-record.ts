import type { Effect } from '../../shared/effect.ts'
import { isStage, type Stage } from '../../shared/stages.ts'

export interface StageAt {
  readonly stage: Stage
  readonly atMs: number
}

/** One target of an attack as it is stored. */
export interface ExecutionRecord {
  readonly id: string
  readonly attackId: string
  readonly host: string
  readonly containerId: string | undefined
  readonly containerName: string | undefined
  readonly stage: Stage
  readonly generation: number
  /** The number of the newest report of its agent; 0 before the first. */
  readonly seq: number
  readonly serviceStates: readonly StageAt[]
  readonly clientStates: readonly StageAt[]
  readonly requested: Effect | undefined
  readonly measured: Effect | undefined
  readonly backend: string | undefined
  readonly reason: string | undefined
  readonly output: string
  readonly clientVersion: string | undefined
  readonly createdMs: number
  readonly updatedMs: number
  readonly endMs: number | undefined
}

/** As much of an execution as an attack is told from. */
export type ExecutionBrief = Pick<
  ExecutionRecord,
  'host' | 'containerId' | 'stage' | 'updatedMs' | 'endMs'
>

/** The fields of `toBrief`. */
export const briefFields = ['host', 'container_id', 'stage', 'updated_ms', 'end_ms'] as const

/** Undefined when there is no such execution. */
export function toBrief(values: readonly (string | null)[]): ExecutionBrief | undefined {
  const [host, containerId, stage, updatedMs, endMs] = values
  if (!host || !stage || !isStage(stage)) return undefined
  return {
    host,
    containerId: containerId || undefined,
    stage,
    updatedMs: Number(updatedMs),
    endMs: endMs ? Number(endMs) : undefined,
  }
}

/** Undefined when there is no such execution. */
export function toExecution(record: Record<string, string>): ExecutionRecord | undefined {
  const text = (name: string) => record[name] ?? ''
  if (!record['id'] || !isStage(text('stage'))) return undefined
  return {
    id: text('id'),
    attackId: text('attack_id'),
    host: text('host'),
    containerId: text('container_id') || undefined,
    containerName: text('container_name') || undefined,
    stage: text('stage') as Stage,
    generation: Number(text('generation')),
    seq: Number(text('seq')),
    serviceStates: readStates(text('service_states')),
    clientStates: readStates(text('client_states')),
    requested: readEffect(record['requested']),
    measured: readEffect(record['measured']),
    backend: record['backend'],
    reason: record['reason'],
    output: text('output'),
    clientVersion: record['client_version'],
    createdMs: Number(text('created_ms')),
    updatedMs: Number(text('updated_ms')),
    endMs: record['end_ms'] === undefined ? undefined : Number(record['end_ms']),
  }
}

/** `Pending@1700000000000;Running@1700000001000` */
function readStates(text: string): StageAt[] {
  return text.split(';').flatMap((entry) => {
    const [stage = '', at = ''] = entry.split('@')
    return isStage(stage) ? { stage, atMs: Number(at) } : []
  })
}

function readEffect(json: string | undefined): Effect | undefined {
  return json === undefined ? undefined : (JSON.parse(json) as Effect)
}
