import { randomUUID } from 'node:crypto'
import { Errors } from 'typebox/schema'
import { cpuAttack, type Api } from '../support/api.ts'
import type { Answer, RequestOptions } from '../support/http.ts'
import type { Service } from '../support/service.ts'
import { makeKey } from '../support/saml-idp.ts'
import { metadataOf } from '../support/saml-metadata.ts'
import { watch } from '../support/sse.ts'
import { walkedOAuth } from './oauth-walk.ts'

/** One operation of an OpenAPI document. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security?: readonly Record<string, readonly string[]>[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, unknown> }
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Record<
    string,
    { readonly description: string; readonly content?: Record<string, { schema: object }> }
  >
}

export interface OpenApi {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components?: object
}

/** An operation with where it is found. */
export interface Found {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export function operationsOf(document: OpenApi): Found[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

/** What is not as the document says of this answer; empty when it keeps to it. */
export function undocumented(document: OpenApi, { operation }: Found, answer: Answer): string[] {
  const response = operation.responses[answer.status]
  if (!response) return [`${answer.status} is not documented: ${answer.text.slice(0, 200)}`]
  const type = mediaTypeOf(answer)
  const [listed] = Object.values(response.content ?? {})
  const schema = (response.content?.[type] ?? listed)?.schema
  if (!schema) return [`${answer.status} has no schema`]
  const value = type === 'application/json' ? answer.json : answer.text
  const [, errors] = Errors({ ...schema, components: document.components }, value)
  const faults = errors.map((one) => `${answer.status}${one.instancePath}: ${one.message}`)
  return answer.status < 400 ? faults : [...faults, ...strangeCode(response.description, answer)]
}

function strangeCode(description: string, answer: Answer): string[] {
  const { error } = answer.json as { error?: { code?: string } }
  if (description.includes(`\`${error?.code}\``)) return []
  // While it is not ready, the health is told in the body of the success.
  if (answer.status === 503 && !error) return []
  return [`${answer.status}: code ${error?.code} is not documented`]
}

/** The type of the body, when it is not the one that is documented for this status. */
export function strangeMediaType({ operation }: Found, answer: Answer): string[] {
  const listed = Object.keys(operation.responses[answer.status]?.content ?? {})
  const type = mediaTypeOf(answer)
  if (listed.includes(type)) return []
  return [`${operation.operationId} ${answer.status}: ${type}, documented ${listed.join()}`]
}

function mediaTypeOf(answer: Answer): string {
  return (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
}

const nobody = '00000000-0000-4000-8000-000000000000'
const tiny = cpuAttack('-l 1 -p 1')

/** Somebody whom the walk may do anything to. */
export const walkedUser = 'walked@example.com'

/** People who are invited and do not come. */
export const invitedUser = 'invited@example.com'
export const teamInvited = 'team-invited@example.com'

/** Good bodies, by operation; those that are not named need none. */
const bodies: Record<string, (service: Service) => RequestOptions> = {
  makeFirstOwner: () => ({
    json: {
      code: 'x',
      company: 'Walked',
      team: 'Walked',
      email: 'first@b.c',
      password: 'a password of theirs',
    },
  }),
  login: ({ local }) => ({ form: { ...local.owner } }),
  createAttack: () => ({ json: tiny }),
  previewAttack: () => ({ json: tiny }),
  annotateAttack: () => ({ json: { notes: 'walked', otherAnnotations: { a: [1] } } }),
  haltAttackWithReason: () => ({ json: { reason: 'walked', reference: null } }),
  haltAllAttacksWithReason: () => ({ json: { reason: 'walked' } }),
  haltEverything: () => ({ text: '', headers: { 'content-type': 'application/json' } }),
  inviteToCompany: () => ({ json: [{ email: invitedUser }] }),
  inviteToTeam: () => ({ form: { email: teamInvited } }),
  renewSession: () => ({ form: { email: 'a@b.c', companyId: 'x', renewToken: 'x' } }),
  renewOrgSession: () => ({ form: { email: 'a@b.c', orgId: 'x', renewToken: 'x' } }),
  acceptInvitation: () => ({ json: { email: 'a@b.c', code: 'x', password: 'x' } }),
  requestPasswordReset: () => ({ form: { email: walkedUser } }),
  resetPassword: () => ({
    form: { email: 'a@b.c', code: 'x', password: 'a password of theirs' },
  }),
  addTeamUsers: () => ({ json: [{ identifier: walkedUser }] }),
  setTeamRoles: () => ({ form: { role: 'TEAM_VIEWER' } }),
  setCompanyRoles: () => ({ json: { roles: ['COMPANY_USER'] } }),
  updateCompany: () => ({ json: { prefs: { walked: true } } }),
  updateSelf: () => ({ json: { first_name: 'Walked' } }),
  updateTeam: () => ({ json: { name: 'Walked' } }),
  createOrg: () => ({ form: { name: `Team ${randomUUID()}` } }),
  resetOrgSecret: ({ local }) => ({ form: { identifier: local.team.id } }),
  signInWithCode: () => ({ form: { email: 'code@b.c', password: 'x', token: '123456' } }),
  enableMfa: () => ({ form: { email: 'enable@b.c', password: 'x' } }),
  validateMfa: () => ({ form: { email: 'validate@b.c', token: '123456' } }),
  disableMfa: () => ({ form: { email: 'disable@b.c', password: 'x', token: '123456' } }),
  forceDisableMfa: () => ({ form: { email: walkedUser } }),
  changePassword: ({ local }) => ({
    form: { currentPassword: local.owner.password, newPassword: local.owner.password },
  }),
  setAuthPreferences: () => ({ json: { mfaRequired: false, sessionDuration: 720 } }),
  setMfaPreferences: () => ({ form: { forceMfa: 'False' } }),
  setSamlProps: () => ({
    form: {
      enabled: 'true',
      entityId: 'https://idp.example',
      idpUrl: 'https://idp.example/sso',
      certificate: walkedKey.certificate,
      idpInitiated: 'true',
    },
  }),
  consumeSamlResponse: () => ({ form: { SAMLResponse: 'PGEvPg==', RelayState: 'nobody|||x|||/' } }),
  readSamlIdpMetadata: () => ({ json: { metadata: metadataOf(walkedKey) } }),
  startSsoTest: () => ({ json: { protocol: 'saml' } }),
  createSamlAlias: () => ({ json: { aliasId: 'walked-group', companyRoles: ['COMPANY_USER'] } }),
  updateSamlAlias: () => ({ json: { companyRoles: ['COMPANY_USER'] } }),
  openSamlSession: () => ({ json: { code: 'x' } }),
  setCompanyDomain: () => ({ form: { domain: 'walked.example' } }),
  setOAuthSettings: () => ({ json: walkedOAuth }),
  openOAuthSession: () => ({ json: { code: 'x' } }),
  signInWithToken: ({ local }) => ({
    form: { companyName: local.company.name, accessToken: 'x', provider: 'oauth' },
  }),
  createApiKey: () => ({ json: { identifier: 'walk' } }),
  matchContainers: () => ({ json: { isAll: true } }),
}

/** With which the provider of the walk signs. */
export const walkedKey = await makeKey()

/** A good body for an operation. */
export function goodBody(service: Service, { operation }: Found): RequestOptions {
  return bodies[operation.operationId]?.(service) ?? {}
}

const badQueries: Record<string, string> = {
  rangeAttacks: 'startTime=soon',
  exportAudit: 'start=soon',
  readAccessReport: 'start=soon',
  readEventReport: 'start=soon',
  readCompany: 'skipTeams=perhaps',
  beginSamlLogin: 'acsHandler=https://evil.example',
  beginOAuthLogin: 'redirectUri=nonsense',
  finishOAuthLogin: 'code=a&code=b',
  readSignInMethods: `companyName=${'x'.repeat(300)}`,
  listSamlFailures: `email=${'x'.repeat(300)}`,
  setApiKeyExpiration: 'expiresAt=soon',
}

/** A query that an operation without a body refuses. */
export function badQuery({ operation }: Found): string {
  return badQueries[operation.operationId] ?? 'pageSize=x'
}

/** A body that names what is not there, where the path names nothing. */
export function absent({ operation: { operationId } }: Found): RequestOptions {
  if (operationId === 'forceDisableMfa') return { form: { email: 'nobody@example.com' } }
  return operationId === 'resetOrgSecret' ? { form: { identifier: nobody } } : {}
}

/** Queries that operations cannot do without. */
const queries: Record<string, (ids: Record<string, string>) => string> = {
  listExecutions: (ids) => `?taskId=${ids['guid'] ?? nobody}`,
  beginSamlLogin: (ids) => `?companyName=${ids['company'] ?? 'nobody'}`,
  beginOAuthLogin: (ids) => `?companyName=${ids['company'] ?? 'nobody'}`,
  readSignInMethods: () => '?companyName=nobody',
}

/** The path of an operation relative to the base URL; `ids` stand for its parameters. */
export function pathOf({ path, operation }: Found, ids: Record<string, string>): string {
  const isOfKey = operation.operationId.includes('ApiKey')
  const invited =
    operation.operationId === 'withdrawInvitation' ? ids['teamInvited'] : ids['invited']
  const isOfInvitation = operation.operationId.includes('Invitation')
  const isOfContainer = operation.operationId.includes('Container')
  const filled = path
    .replace('/v1', '')
    .replace(
      '{email}',
      (isOfKey ? ids['email'] : isOfInvitation ? invited : ids['walked']) ?? 'nobody@example.com',
    )
    .replace('{state}', 'active')
    .replace('{team}', ids['team'] ?? nobody)
    .replace('{guid}', ids['guid'] ?? nobody)
    .replace('{identifier}', (isOfContainer ? ids['container'] : ids['client']) ?? nobody)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? nobody)
  return `${filled}${queries[operation.operationId]?.(ids) ?? ''}`
}

/** Whether it needs no session. */
export function isPublic({ operation }: Found): boolean {
  return operation.security?.length === 0
}

/** Whether the document has this status for the operation. */
export function documents(found: Found, status: number): boolean {
  return status in found.operation.responses
}

/** One too many: for that, the tests of keys make all that there may be. */
export function isFull({ operation }: Found): boolean {
  return operation.responses['409']?.description.includes('too_many_keys') === true
}

/** The status with which the operation succeeds. */
export function successOf({ operation }: Found): number {
  return Number(Object.keys(operation.responses).find((status) => status < '400'))
}

/** A stream of events does not end: what its beginning says. */
export async function headOf(api: Api, path: string): Promise<Answer> {
  using watcher = await watch(api, path)
  const headers = new Map([['content-type', String(watcher.headers['content-type'])]])
  return { status: watcher.status, reason: 'OK', headers, text: '', json: undefined }
}
