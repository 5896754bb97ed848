import { Type, type Static } from 'typebox'
import { auditActions, type AuditAction } from '../audit-actions.ts'
import { Nullable } from './nullable.ts'
import { PageQuery, pageOf } from './page.ts'
import { defineRoute } from './route.ts'
import { TeamQuery } from './team-query.ts'
import { Timestamp } from './timestamp.ts'

/** Who did it, as what. */
export const AuditActor = Type.Object({
  kind: Type.Enum(['user', 'key', 'host', 'admin', 'claimed', 'system'], {
    description:
      '`claimed`: who somebody says to be who did not prove it; `admin`: on the host of a controller; ' +
      '`system`: the controller by itself.',
  }),
  id: Nullable(Type.String()),
  name: Type.String({ description: 'Email address of a user, also for its key; name of a host.' }),
})
export type AuditActor = Static<typeof AuditActor>

/** What it was done to. */
export const AuditTarget = Type.Object({
  kind: Type.String(),
  id: Nullable(Type.String()),
  name: Type.String(),
})
export type AuditTarget = Static<typeof AuditTarget>

/** One link of the chain. `hash` is a keyed hash of all other fields, the hash before it among them. */
export const AuditEntry = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, description: 'Counts from 1 without a gap.' }),
    id: Type.String({ format: 'uuid' }),
    time: Timestamp,
    company_id: Nullable(
      Type.String({ description: 'null in the chain of the installation itself.' }),
    ),
    team_id: Nullable(Type.String()),
    action: Type.Enum(Object.keys(auditActions) as AuditAction[]),
    result: Type.Enum(['ok', 'refused', 'failed']),
    code: Nullable(Type.String({ description: 'Why it was refused or failed.' })),
    actor: AuditActor,
    from: Nullable(Type.String({ description: 'The address that the request came from.' })),
    target: Nullable(AuditTarget),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What else is to be said: `old` and `new` for changes.',
    }),
    key: Type.String({ description: 'Names the key of the hash.' }),
    previous: Nullable(
      Type.String({ description: 'The hash of the entry before; null for none.' }),
    ),
    hash: Type.String(),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

const Moment = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `${description} ISO 8601.` }))
const From = Moment('Only what happened at this time or later.')
const Before = Moment('Only what happened before.')
const Period = Type.Object({ ...TeamQuery.properties, start: From, end: Before })
const reader = { method: 'GET', access: 'SECURITY_REPORTS_READ' } as const

export const listAudit = defineRoute({
  ...reader,
  operationId: 'listAudit',
  path: '/audit',
  tag: 'audit',
  summary: 'The audit of the company, the newest first.',
  query: Type.Object({
    ...Period.properties,
    action: Type.Optional(
      Type.String({ maxLength: 60, description: 'Only this one, or `host.` for all of a kind.' }),
    ),
    actor: Type.Optional(
      Type.String({ maxLength: 254, description: 'Only of this name or id, such as an email.' }),
    ),
    ...PageQuery.properties,
  }),
  success: { status: 200, schema: pageOf(AuditEntry) },
  errors: ['invalid_body'],
})

export const exportAudit = defineRoute({
  ...reader,
  operationId: 'exportAudit',
  audit: 'audit.export',
  path: '/audit/export',
  tag: 'audit',
  summary:
    'The audit of the company as JSON lines, the oldest first; `temblor admin audit verify` checks it.',
  query: Period,
  success: {
    status: 200,
    schema: Type.String({ description: 'An AuditEntry on each line.' }),
    mediaType: 'application/x-ndjson',
  },
  errors: ['invalid_body'],
})

/** What existing clients ask for; the window is one hour at most, as they know it. */
const Window = Type.Object({
  ...TeamQuery.properties,
  start: Moment('The beginning; an hour before the end unless stated.'),
  end: Moment('The end; now unless stated.'),
})
const report = {
  ...reader,
  tag: 'reports',
  query: Window,
  success: { status: 200, schema: Type.Array(AuditEntry) },
  errors: ['invalid_body'],
} as const

export const readAccessReport = defineRoute({
  ...report,
  operationId: 'readAccessReport',
  path: '/reports/security/access',
  summary: 'Who signed in and out or tried to, and who was refused, within one hour at most.',
})

export const readEventReport = defineRoute({
  ...report,
  operationId: 'readEventReport',
  path: '/reports/security/event',
  summary: 'Everything else of the audit, within one hour at most.',
})
