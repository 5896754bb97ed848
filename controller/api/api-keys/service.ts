import { randomBytes, randomUUID } from 'node:crypto'
import { activeKeyLimit, type ApiKey, type createApiKey } from '../../../shared/api/api-keys.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import type { AuditNote } from '../../audit/of-request.ts'
import type { Caller } from '../../auth/access.ts'
import type { Seal } from '../../auth/seal.ts'
import type { ApiKeyRecord, KeyChange } from '../../store/api-keys.ts'
import type { Team } from '../../store/companies.ts'
import type { Store } from '../../store/store.ts'
import { checkKeysAllowed, readEnd } from './rules.ts'

/** What is done with keys, for whoever asks. */
export interface ApiKeyService {
  /** Gives the key itself. @throws ApiError `too_many_keys`, `wrong_team`, `invalid_body`, `method_disabled` */
  create(caller: Caller, body: BodyOf<typeof createApiKey>, audit: AuditNote): Promise<string>
  own(caller: Caller): Promise<ApiKeyRecord[]>
  ofCompany(caller: Caller): Promise<ApiKeyRecord[]>
  /** @throws ApiError `key_not_found` */
  revoke(caller: Caller, idOrName: string, audit: AuditNote): Promise<void>
  /** @throws ApiError `key_not_found`, `too_many_keys`, `method_disabled` */
  activate(caller: Caller, idOrName: string, audit: AuditNote): Promise<void>
  /** @throws ApiError `key_not_found`, `too_many_keys`, `invalid_body` */
  expire(
    caller: Caller,
    which: { readonly keyId: string; readonly expiresAt: string | undefined },
    audit: AuditNote,
  ): Promise<void>
  /** @throws ApiError `key_not_found`, also for companies that are not the caller's */
  revokeOfUser(
    caller: Caller,
    which: { companyId: string; email: string; keyId: string },
    audit: AuditNote,
  ): Promise<void>
}

/** Makes the service of keys. */
export function createApiKeyService(store: Store, seal: Seal): ApiKeyService {
  const own: ApiKeyService['own'] = async (caller) =>
    (await store.apiKeys.list(caller.userId)).filter((key) => key.companyId === caller.company.id)
  const ownOne = async (caller: Caller, idOrName: string, audit: AuditNote) =>
    noted(pick(await own(caller), idOrName), audit)
  const change = async (record: ApiKeyRecord, fields: KeyChange) => {
    if (!(await store.apiKeys.change(record, fields, activeKeyLimit))) throw tooManyKeys()
  }
  return {
    own,
    create: (caller, body, audit) => create({ store, seal }, caller, body, audit),
    ofCompany: ({ company }) => store.apiKeys.listCompany(company.id),
    async revoke(caller, idOrName, audit) {
      await store.apiKeys.revoke(await ownOne(caller, idOrName, audit), caller.email)
    },
    async activate(caller, idOrName, audit) {
      await checkKeysAllowed(store, caller.company)
      await change(await ownOne(caller, idOrName, audit), { revokedMs: '', revokedBy: '' })
    },
    async expire(caller, { keyId, expiresAt }, audit) {
      const expiresMs = await readEnd(store, caller.company, expiresAt || undefined)
      const record = await ownOne(caller, keyId, audit)
      audit.detail({ old: at(record.expiresMs), new: at(expiresMs) })
      await change(record, { expiresMs: String(expiresMs ?? '') })
    },
    async revokeOfUser(caller, { companyId, email, keyId }, audit) {
      audit.detail({ owner: email })
      const user = companyId === caller.company.id && (await store.users.findByEmail(email))
      const all = user ? await store.apiKeys.list(user.id) : []
      const theirs = all.filter((key) => key.companyId === caller.company.id)
      await store.apiKeys.revoke(noted(pick(theirs, keyId), audit), caller.email)
    },
  }
}

/** Says in the audit which key it is. */
function noted(record: ApiKeyRecord, audit: AuditNote): ApiKeyRecord {
  audit.target({ kind: 'key', id: record.id, name: record.name })
  return record
}

async function create(
  { store, seal }: { store: Store; seal: Seal },
  caller: Caller,
  body: BodyOf<typeof createApiKey>,
  audit: AuditNote,
): Promise<string> {
  const id = randomUUID()
  audit.target({ kind: 'key', id, name: body.identifier })
  await checkKeysAllowed(store, caller.company)
  const expiresMs = await readEnd(store, caller.company, body.expiresAt ?? undefined)
  const team = body.teamId ? await ownTeam(store, caller, body.teamId) : caller.team
  audit.detail({ team: team?.name, expires: at(expiresMs) })
  // Lower-case hex: clients look for the words Key and Bearer in it.
  const key = randomBytes(32).toString('hex')
  const isAdded = await store.apiKeys.add(
    {
      id,
      hash: seal.hashToken(key),
      name: body.identifier,
      description: body.description ?? undefined,
      userId: caller.userId,
      email: caller.email,
      companyId: caller.company.id,
      teamId: team?.id,
      createdMs: Date.now(),
      expiresMs,
      revokedMs: undefined,
      revokedBy: undefined,
      usedMs: undefined,
    },
    activeKeyLimit,
  )
  if (!isAdded) throw tooManyKeys()
  return key
}

async function ownTeam(store: Store, caller: Caller, idOrName: string): Promise<Team> {
  const wanted = idOrName.trim().toLowerCase()
  const teams = await store.companies.listTeams(caller.company.id)
  const own = teams.filter((team) => caller.membership.teams[team.id])
  const found =
    own.find((team) => team.id === wanted) ??
    own.find((team) => team.name.trim().toLowerCase() === wanted)
  if (found) return found
  const names = own.map((team) => team.name).join(', ') || 'none'
  throw new ApiError(
    'wrong_team',
    `You are in no team ${idOrName.slice(0, 100)}. Yours: ${names}.`,
    {
      details: { field: 'teamId', value: idOrName.slice(0, 100) },
    },
  )
}

const at = (ms: number | undefined) => (ms === undefined ? null : timestamp(ms))

/** A key as the API shows it. */
export function toApiKey(record: ApiKeyRecord): ApiKey {
  return {
    id: record.id,
    identifier: record.name,
    description: record.description ?? null,
    state: stateOf(record),
    created_at: timestamp(record.createdMs),
    created_by: record.email,
    expires_at: at(record.expiresMs),
    revoked_by: record.revokedBy ?? null,
    last_used_at: at(record.usedMs),
    company_id: record.companyId,
    org_id: record.teamId ?? null,
  }
}

function stateOf({ revokedMs, expiresMs }: ApiKeyRecord): ApiKey['state'] {
  if (revokedMs !== undefined) return 'REVOKED'
  return expiresMs !== undefined && expiresMs <= Date.now() ? 'IDLE' : 'ACTIVE'
}

function pick(all: readonly ApiKeyRecord[], idOrName: string): ApiKeyRecord {
  const key = all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName)
  if (key) return key
  const value = idOrName.slice(0, 100)
  throw new ApiError(
    'key_not_found',
    `There is no key ${value}. GET /apikeys lists those there are.`,
    {
      details: { field: 'keyId', value },
    },
  )
}

function tooManyKeys(): ApiError {
  return new ApiError(
    'too_many_keys',
    `You have ${activeKeyLimit} keys that work. Revoke one, or wait until one expires.`,
    { details: { limit: activeKeyLimit } },
  )
}
