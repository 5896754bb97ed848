import type { AttackParams } from '../../shared/attacks/index.ts'
import type { Target } from '../../shared/targets.ts'
import type { AttackBlockRecord } from './attack-blocks.ts'

/** What a request for an attack comes down to. */
export interface NewAttack {
  readonly teamId: string
  readonly type: string
  readonly args: readonly string[]
  readonly params: AttackParams
  readonly lengthSeconds: number
  readonly target: Target
  readonly createdBy: string
  readonly source: string
  /** Hosts in these boots are not hit: a controller runs there. */
  readonly sparedBootIds?: readonly string[]
  /** Who forbade new attacks in the company: then none is created. */
  readonly block?: AttackBlockRecord | undefined
  /** The client's key for this request, and the hash of its body. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string } | undefined
}

/** What somebody noted on an attack. */
export interface Annotations {
  readonly otherAnnotations: Readonly<Record<string, unknown>>
  readonly notes: string
  readonly metrics: Readonly<Record<string, unknown>>
}

/** An attack as it is stored; its stage follows from its executions. */
export interface AttackRecord {
  readonly id: string
  readonly teamId: string
  readonly type: string
  readonly args: readonly string[]
  readonly params: AttackParams
  readonly lengthSeconds: number
  readonly target: Target
  readonly withoutContainer: readonly string[]
  readonly createdBy: string
  readonly source: string
  readonly createdMs: number
  readonly startByMs: number
  /** Executions that are not over. */
  readonly open: number
  readonly halted:
    | { readonly by: string; readonly reason: string; readonly reference: string }
    | undefined
  readonly annotations: Annotations | undefined
}

/** The fields of a new attack's hash; the script adds times and what it resolved. */
export function attackFields(
  attackId: string,
  attack: Omit<NewAttack, 'teamId' | 'sparedBootIds'>,
): Record<string, string | number> {
  return {
    id: attackId,
    type: attack.type,
    args: JSON.stringify(attack.args),
    params: JSON.stringify(attack.params),
    length_seconds: attack.lengthSeconds,
    target: JSON.stringify(attack.target),
    created_by: attack.createdBy,
    source: attack.source,
  }
}

/** The record behind a hash; undefined when there is none. */
export function toAttack(teamId: string, record: Record<string, string>): AttackRecord | undefined {
  const text = (name: string) => record[name] ?? ''
  if (!record['id']) return undefined
  return {
    id: text('id'),
    teamId,
    type: text('type'),
    args: JSON.parse(text('args')) as string[],
    params: JSON.parse(text('params')) as AttackParams,
    lengthSeconds: Number(text('length_seconds')),
    target: JSON.parse(text('target')) as Target,
    withoutContainer: JSON.parse(record['without'] ?? '[]') as string[],
    createdBy: text('created_by'),
    source: text('source'),
    createdMs: Number(text('created_ms')),
    startByMs: Number(text('start_by_ms')),
    open: Number(text('open')),
    halted:
      record['halted_by'] === undefined
        ? undefined
        : {
            by: record['halted_by'],
            reason: text('halt_reason'),
            reference: text('halt_reference'),
          },
    annotations: readAnnotations(record),
  }
}

/** The parts of the annotations that a change gives. */
export type AnnotationChange = { [K in keyof Annotations]?: Annotations[K] | null | undefined }

/** The fields that a change writes: one for each part, so that no writer undoes another's. */
export function annotationFields(change: AnnotationChange): Record<string, string> {
  return {
    ...(change.notes === undefined || change.notes === null ? {} : { notes: change.notes }),
    ...(change.metrics === undefined || change.metrics === null
      ? {}
      : { metrics: JSON.stringify(change.metrics) }),
    ...(change.otherAnnotations === undefined || change.otherAnnotations === null
      ? {}
      : { other_annotations: JSON.stringify(change.otherAnnotations) }),
  }
}

function readAnnotations(record: Record<string, string>): Annotations | undefined {
  const { notes, metrics, other_annotations: other } = record
  if (notes === undefined && metrics === undefined && other === undefined) return undefined
  return {
    otherAnnotations: JSON.parse(other ?? '{}') as Record<string, unknown>,
    notes: notes ?? '',
    metrics: JSON.parse(metrics ?? '{}') as Record<string, unknown>,
  }
}
