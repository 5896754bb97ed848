import { Type, type Static, type TNull, type TSchema, type TUnion } from 'typebox'

const StringMap = Type.Record(Type.String(), Type.String())
/** A key with the values of which one must be carried. */
const MultiSelect = Type.Record(Type.String(), Type.Array(Type.String()))
/**
 * Clients send null, an empty text or an empty list for "nothing". The type says null only: whoever
 * reads such a value asks `isAbsent` first.
 */
function orNull<S extends TSchema>(schema: S): TUnion<[S, TNull]> {
  const nothing = [Type.Null(), Type.Literal(''), Type.Array(Type.Never(), { maxItems: 0 })]
  return Type.Union([schema, ...nothing]) as unknown as TUnion<[S, TNull]>
}
const Count = Type.Union([
  Type.Integer({ minimum: 1 }),
  Type.String({ pattern: '^[1-9][0-9]{0,5}$' }),
])

const HostsBody = Type.Union([
  Type.Literal('all'),
  Type.Object(
    {
      ids: Type.Optional(orNull(Type.Array(Type.String()))),
      multiSelectTags: Type.Optional(orNull(MultiSelect)),
    },
    { additionalProperties: true },
  ),
])

const ContainersBody = Type.Union([
  Type.Literal('all'),
  Type.Object(
    {
      ids: Type.Optional(orNull(Type.Array(Type.String()))),
      labels: Type.Optional(orNull(StringMap)),
      multiSelectLabels: Type.Optional(orNull(MultiSelect)),
    },
    { additionalProperties: true },
  ),
])

/** Who is hit, as it stands in the body of `POST /attacks/new`. Unknown keys are ignored. */
export const TargetBody = Type.Object(
  {
    type: Type.String({ description: '`Random` or `Exact`.', examples: ['Random'] }),
    tags: Type.Optional(orNull(StringMap)),
    exact: Type.Optional(
      Type.Union([Type.Array(Type.String()), Count, Type.Null(), Type.Literal('')], {
        description:
          'With Exact: the identifiers of the hosts, all of which must be there. With Random, or with containers: how many.',
      }),
    ),
    percent: Type.Optional(
      Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 100 }), Type.Null()], {
        description: 'With Random: how many of the hosts (or containers) that match, rounded up.',
      }),
    ),
    hosts: Type.Optional(orNull(HostsBody)),
    containers: Type.Optional(orNull(ContainersBody)),
    multiSelectTags: Type.Optional(orNull(MultiSelect)),
    multiSelectLabels: Type.Optional(orNull(MultiSelect)),
  },
  { title: 'Target', additionalProperties: true },
)

/** Beside the target: hit the containers on these hosts that carry every one of these labels. */
export const LabelsBody = orNull(StringMap)

export type TargetBody = Static<typeof TargetBody>

/** Every key must be carried with one of its values. */
export type Selector = Readonly<Record<string, readonly string[]>>

/** A target as the controller resolves it; empty and null count as absent. */
export interface Target {
  readonly type: 'Random' | 'Exact'
  readonly hosts: {
    /** Only these, all of which must be live; null is every live host. */
    readonly ids: readonly string[] | null
    readonly tags: Selector
  }
  /** The containers to hit on these hosts; null hits the hosts themselves. */
  readonly containers: { readonly ids: readonly string[] | null; readonly labels: Selector } | null
  /** How many of what matches are drawn; null hits all of it. */
  readonly draw: {
    readonly of: 'hosts' | 'containers'
    readonly count: number | null
    readonly percent: number | null
  } | null
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

/** Keys of the known interface that narrow an attack and that are not honoured. */
const notHonoured = ['template_id', 'templateId', 'trafficImpactMapping', 'providers'] as const

/**
 * Reads the target of an attack request, in any of the forms that clients send.
 * @throws TargetError for an unknown type, for a combination that has no meaning, and for narrowing
 * keys that would otherwise be ignored and so hit more than was meant
 */
export function readTarget(
  body: TargetBody,
  labels: Record<string, string> | null | undefined,
): Target {
  const type = readType(body.type)
  refuseNotHonoured(body)
  const hosts = readHosts(body)
  const containers = readContainers(body, labels)
  const count = readCount(body)
  return type === 'Random'
    ? { type, hosts, containers, draw: readDraw(body, containers, count) }
    : readExact(body, hosts, containers, count)
}

/** How many are drawn with Random: hosts, unless a number is given beside a selector of containers. */
function readDraw(
  body: TargetBody,
  containers: Target['containers'],
  count: number | null,
): Target['draw'] {
  const percent = body.percent ?? null
  if (Array.isArray(body.exact) && body.exact.length > 0)
    throw refused('target.exact', 'cannot be a list with Random', 'a count, or Exact')
  if (count !== null && percent !== null)
    throw refused('target.percent', 'cannot stand with a count in target.exact', 'one of the two')
  if (count === null && percent === null) return { of: 'hosts', count: 1, percent: null }
  // Labels beside the target mean all matching containers of the hosts that are drawn.
  const isBeside = isAbsent(body.containers) && isAbsent(body.multiSelectLabels)
  return { of: containers && !isBeside ? 'containers' : 'hosts', count, percent }
}

function readExact(
  body: TargetBody,
  hosts: Target['hosts'],
  containers: Target['containers'],
  count: number | null,
): Target {
  if (hosts.ids === null && containers === null)
    throw refused('target.exact', 'is missing', 'with Exact, the list of the hosts to hit')
  if (Object.keys(hosts.tags).length > 0 && hosts.ids !== null)
    throw refused('target.tags', 'cannot stand with Exact', 'only with Random')
  if (!isAbsent(body.percent))
    throw refused('target.percent', 'cannot stand with Exact', 'only with Random')
  // Clients send a count beside the ids that they name; the ids say more.
  const isCounted = count !== null && hosts.ids === null && containers?.ids === null
  return {
    type: 'Exact',
    hosts,
    containers,
    draw: isCounted ? { of: 'containers', count, percent: null } : null,
  }
}

function readType(text: string): Target['type'] {
  const type = (['Random', 'Exact'] as const).find(
    (known) => known.toLowerCase() === text.toLowerCase(),
  )
  if (type) return type
  throw new TargetError(`target.type cannot be "${text.slice(0, 60)}". Allowed: Random or Exact.`, {
    field: 'target.type',
    value: text.slice(0, 60),
    allowed: 'Random or Exact',
  })
}

function readHosts(body: TargetBody): Target['hosts'] {
  const given = narrowing(body.hosts)
  const listed = Array.isArray(body.exact) ? body.exact : []
  const ids = [...new Set([...listed, ...(given.ids || [])])]
  const tags = mergeSelectors(body.tags, given.multiSelectTags, body.multiSelectTags)
  return { ids: ids.length > 0 ? ids : null, tags }
}

function readContainers(
  body: TargetBody,
  labels: Record<string, string> | null | undefined,
): Target['containers'] {
  const isAll = body.containers === 'all'
  const given = narrowing(body.containers)
  const all = mergeSelectors(labels, given.labels, given.multiSelectLabels, body.multiSelectLabels)
  const ids = [...new Set(given.ids || [])]
  if (!isAll && ids.length === 0 && Object.keys(all).length === 0) return null
  return { ids: ids.length > 0 ? ids : null, labels: all }
}

/** One selector from several: a key in two of them must satisfy both. */
function mergeSelectors(
  ...parts: (Record<string, string | readonly string[]> | null | undefined)[]
): Record<string, string[]> {
  // No names from birth: a tag may be called `constructor`.
  const merged = Object.create(null) as Record<string, string[]>
  for (const part of parts)
    for (const [key, given] of Object.entries(isAbsent(part) ? {} : (part ?? {}))) {
      const values = [...new Set([given].flat())]
      merged[key] = merged[key]?.filter((value) => values.includes(value)) ?? values
    }
  return merged
}

/** What narrows in `hosts` or `containers`; `all` and nothing narrow nothing. */
function narrowing<T extends object>(part: T | 'all' | null | undefined): Partial<T> {
  return typeof part === 'object' && part !== null && !isAbsent(part) ? part : {}
}

function readCount(body: TargetBody): number | null {
  const { exact } = body
  return isAbsent(exact) || Array.isArray(exact) ? null : Number(exact)
}

/** Inside `hosts` and `containers` every key narrows, so one that is not known is refused. */
const knownKeys = {
  hosts: ['ids', 'multiSelectTags'],
  containers: ['ids', 'labels', 'multiSelectLabels'],
} as const

function refuseNotHonoured(body: Record<string, unknown>): void {
  for (const [part, known] of Object.entries(knownKeys)) {
    if (typeof body[part] !== 'object') continue
    for (const [key, value] of Object.entries(body[part] ?? {}))
      if (!(known as readonly string[]).includes(key) && !isAbsent(value))
        throw refused(`target.${part}.${key}`, 'is not supported', known.join(', '))
  }
  for (const key of notHonoured)
    if (!isAbsent(body[key]))
      throw refused(`target.${key}`, 'is not supported', 'the target itself, not a reference to it')
}

function refused(field: string, what: string, allowed: string): TargetError {
  return new TargetError(`${field} ${what}. Allowed: ${allowed}.`, { field, allowed })
}

/** `null`, `{}`, `[]` and `""` count as absent: clients send them for "nothing". */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Whether every key of the selector is carried with one of its values. */
export function carries(selector: Selector, actual: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(
    ([key, values]) => actual[key] !== undefined && values.includes(actual[key]),
  )
}
