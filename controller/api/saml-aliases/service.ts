import { ApiError } from '../../../shared/api/errors.ts'
import type { BodyOf } from '../../../shared/api/route.ts'
import {
  aliasLimit,
  type SamlAlias,
  type updateSamlAlias,
} from '../../../shared/api/saml-aliases.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import { companyEditNeeds, teamEditNeeds, type Holder } from '../../../shared/role-rules.ts'
import { isCompanyRole } from '../../../shared/roles.ts'
import { changesOf } from '../../audit/changes.ts'
import type { AuditNote } from '../../audit/of-request.ts'
import type { Caller } from '../../auth/access.ts'
import { forbidden } from '../../auth/forbidden.ts'
import { aliasNotFound, teamNotFound } from '../../records/not-found.ts'
import { nameTaken } from '../../store/names.ts'
import type { SamlAliasRecord } from '../../store/saml-aliases.ts'
import type { Store } from '../../store/store.ts'

type Roles = BodyOf<typeof updateSamlAlias>

/** Aliases of role claims in the caller's company. Nobody gives by one what they could not give by hand. */
export interface SamlAliasService {
  list(caller: Caller): Promise<string[]>
  /** @throws ApiError `alias_not_found` */
  read(caller: Caller, aliasId: string): Promise<SamlAlias>
  /** @throws ApiError `name_taken`, and as `put` */
  create(caller: Caller, aliasId: string, roles: Roles, audit: AuditNote): Promise<SamlAlias>
  /** @throws ApiError `invalid_body`, `team_not_found`, `forbidden` */
  put(caller: Caller, aliasId: string, roles: Roles, audit: AuditNote): Promise<SamlAlias>
  /** @throws ApiError `alias_not_found`, `forbidden` */
  remove(caller: Caller, aliasId: string, audit: AuditNote): Promise<void>
}

/** Makes the service of aliases. */
export function createSamlAliasService(store: Store): SamlAliasService {
  const read = async ({ company }: Caller, aliasId: string) => {
    const record = (await store.samlAliases.list(company.id)).get(aliasId)
    if (!record) throw aliasNotFound(aliasId)
    return toSamlAlias(company.id, aliasId, record)
  }
  const write = async (caller: Caller, aliasId: string, roles: Roles, audit: AuditNote) => {
    const next = await checked(store, caller, aliasId, roles)
    await store.samlAliases.change(caller.company.id, aliasId, (now, count) => {
      if (!now && count >= aliasLimit) throw tooMany()
      checkMayGive(caller, now, next)
      tell(audit, aliasId, now, next)
      return { ...next, createdMs: now?.createdMs ?? next.createdMs }
    })
    return await read(caller, aliasId)
  }
  return {
    list: async ({ company }) => [...(await store.samlAliases.list(company.id)).keys()].toSorted(),
    read,
    put: write,
    async create(caller, aliasId, roles, audit) {
      if ((await store.samlAliases.list(caller.company.id)).has(aliasId))
        throw nameTaken('claim alias', aliasId)
      return await write(caller, aliasId, roles, audit)
    },
    async remove(caller, aliasId, audit) {
      await store.samlAliases.change(caller.company.id, aliasId, (now) => {
        if (!now) throw aliasNotFound(aliasId)
        checkMayGive(caller, now, undefined)
        tell(audit, aliasId, now, undefined)
        return undefined
      })
    },
  }
}

/** @throws ApiError for the name of a role, and for teams that are not there */
async function checked(
  store: Store,
  { company }: Caller,
  aliasId: string,
  { companyRoles = [], teamRoles = {} }: Roles,
): Promise<SamlAliasRecord> {
  if (isCompanyRole(aliasId) || aliasId.trim() !== aliasId)
    throw new ApiError(
      'invalid_body',
      `aliasId cannot be "${aliasId}". Allowed: what is no role, without blanks around it.`,
      { details: { field: 'aliasId', value: aliasId } },
    )
  const teams = new Set((await store.teams.list(company.id)).map(({ id }) => id))
  const missing = Object.keys(teamRoles).find((id) => !teams.has(id))
  if (missing !== undefined) throw teamNotFound(missing)
  const now = Date.now()
  return {
    companyRoles: [...new Set(companyRoles)],
    teamRoles: Object.fromEntries(
      Object.entries(teamRoles).map(([id, roles]) => [id, [...new Set(roles)]]),
    ),
    createdMs: now,
    updatedMs: now,
  }
}

/** Whoever has the alias is given these roles: that takes what giving them by hand takes. @throws ApiError */
function checkMayGive(
  { membership }: Caller,
  now: SamlAliasRecord | undefined,
  next: SamlAliasRecord | undefined,
): void {
  const before: Holder = { roles: now?.companyRoles ?? [], teams: now?.teamRoles ?? {} }
  const teams = new Set([...Object.keys(before.teams), ...Object.keys(next?.teamRoles ?? {})])
  const needs = [
    companyEditNeeds(membership, before, next?.companyRoles ?? []),
    ...[...teams].map((id) => teamEditNeeds(membership, before, id, next?.teamRoles[id] ?? [])),
  ].find((privilege) => privilege !== undefined)
  if (needs) throw forbidden([needs])
}

function tell(
  audit: AuditNote,
  aliasId: string,
  now: SamlAliasRecord | undefined,
  next: SamlAliasRecord | undefined,
): void {
  audit.target({ kind: 'claim-alias', id: null, name: aliasId })
  audit.detail(changesOf(rolesOf(now), rolesOf(next)))
}

function rolesOf(record: SamlAliasRecord | undefined): object {
  return { company_roles: record?.companyRoles, team_roles: record?.teamRoles }
}

function toSamlAlias(companyId: string, aliasId: string, record: SamlAliasRecord): SamlAlias {
  const { companyRoles, teamRoles, createdMs, updatedMs } = record
  return {
    companyId,
    aliasId,
    companyRoles: [...companyRoles],
    teamRoles: Object.fromEntries(Object.entries(teamRoles).map(([id, roles]) => [id, [...roles]])),
    createdAt: timestamp(createdMs),
    updatedAt: timestamp(updatedMs),
  }
}

function tooMany(): ApiError {
  return new ApiError(
    'invalid_body',
    `The company has ${aliasLimit} aliases. Remove some first. Nothing was changed.`,
    { details: { field: 'aliasId', allowed: aliasLimit } },
  )
}
