import { Type, type Static } from 'typebox'

/** A container with this label set to `true` is never touched, whatever the controller says. */
export const protectLabel = { key: 'temblor.protect', value: 'true' } as const

const StringMap = Type.Record(Type.String(), Type.String())

/** Who is hit, as it stands in the body of `POST /attacks/new`. Unknown keys are ignored. */
export const TargetBody = Type.Object(
  {
    type: Type.String({ description: '`Random` or `Exact`.', examples: ['Random'] }),
    tags: Type.Optional(
      Type.Union([StringMap, Type.Null()], {
        description: 'With Random: only hosts that carry every one of these tags.',
      }),
    ),
    exact: Type.Optional(
      Type.Union([Type.Array(Type.String()), Type.Null()], {
        description: 'With Exact: the identifiers of the hosts, all of which must be there.',
      }),
    ),
  },
  { title: 'Target', additionalProperties: true },
)

export const LabelsBody = Type.Union([StringMap, Type.Null()], {
  description: 'Hit the containers on these hosts that carry every one of these labels.',
})

export type TargetBody = Static<typeof TargetBody>

/** A target as the controller resolves it; empty and null count as absent. */
export interface Target {
  readonly type: 'Random' | 'Exact'
  readonly tags: Readonly<Record<string, string>>
  readonly exact: readonly string[]
  readonly labels: Readonly<Record<string, string>>
}

/** A target that cannot be meant; names the field, the value and what is allowed. */
export class TargetError extends Error {
  readonly details: { field: string; value?: string; allowed: string }
  constructor(message: string, details: TargetError['details']) {
    super(message)
    this.name = 'TargetError'
    this.details = details
  }
}

/** Keys that narrow an attack in the known interface and that are not honoured yet. */
const notHonoured = [
  'hosts',
  'containers',
  'percent',
  'multiSelectTags',
  'multiSelectLabels',
  'template_id',
  'templateId',
] as const

/**
 * Reads the target of an attack request.
 * @throws TargetError for an unknown type, for a combination that has no meaning, and for narrowing
 * keys that would otherwise be ignored and so hit more than was meant
 */
export function readTarget(
  body: TargetBody,
  labels: Record<string, string> | null | undefined,
): Target {
  const type = (['Random', 'Exact'] as const).find(
    (known) => known.toLowerCase() === body.type.toLowerCase(),
  )
  if (!type)
    throw new TargetError(`target.type cannot be "${body.type}". Allowed: Random or Exact.`, {
      field: 'target.type',
      value: body.type,
      allowed: 'Random or Exact',
    })
  refuseNotHonoured(body)
  const tags = body.tags ?? {}
  const exact = [...new Set(body.exact ?? [])]
  refuseContradiction(type, tags, exact)
  return { type, tags, exact, labels: labels ?? {} }
}

function refuseNotHonoured(body: Record<string, unknown>): void {
  for (const key of notHonoured) {
    if (isAbsent(body[key])) continue
    throw new TargetError(
      `target.${key} is not supported yet. Remove it; use target.tags, target.exact or labels.`,
      { field: `target.${key}`, allowed: 'target.tags, target.exact, labels' },
    )
  }
}

function refuseContradiction(
  type: 'Random' | 'Exact',
  tags: Record<string, string>,
  exact: readonly string[],
): void {
  if (type === 'Exact' && exact.length === 0)
    throw new TargetError('target.exact is missing. With Exact it lists the hosts to hit.', {
      field: 'target.exact',
      allowed: 'a list of one or more host identifiers',
    })
  if (type === 'Exact' && Object.keys(tags).length > 0)
    throw new TargetError('target.tags cannot stand with Exact. Remove it, or use Random.', {
      field: 'target.tags',
      allowed: 'only with Random',
    })
  if (type === 'Random' && exact.length > 0)
    throw new TargetError('target.exact cannot stand with Random. Remove it, or use Exact.', {
      field: 'target.exact',
      allowed: 'only with Exact',
    })
}

/** `null`, `{}`, `[]` and `""` count as absent: clients send them for "nothing". */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
