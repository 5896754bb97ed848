import { Type, type Static } from 'typebox'
import { auditActions, type AuditAction } from '../audit-actions.ts'
import { Nullable } from './nullable.ts'
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
