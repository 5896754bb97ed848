import type { FastifyRequest } from 'fastify'
import type { AuditActor, AuditTarget } from '../../shared/api/audit.ts'
import { ApiError } from '../../shared/api/errors.ts'
import type { RouteContract } from '../../shared/api/route.ts'
import type { Caller } from '../auth/access.ts'
import type { Store } from '../store/store.ts'
import type { Audit, AuditEvent, Fact, Facts } from './audit.ts'

/** What a handler tells the audit of its request; the outcome is recorded when it is known. */
export interface AuditNote {
  /** What it is done to. */
  target(target: AuditTarget): void
  /** What else is to be said: `old` and `new` of a change. Nothing secret. */
  detail(fields: Facts): void
  /** Who they say they are, where nobody is signed in; `company` (name or id) when they say it. */
  claim(email: string, company?: string): void
  /** The companies that the claim let them into. */
  entered(companyIds: readonly string[]): void
}

/** Records requests: one entry each, of those that have an action and of refusals for want of a privilege. */
export interface RequestAudit {
  note(request: FastifyRequest): AuditNote
  /** It has been done. */
  done(request: FastifyRequest, contract: RouteContract): Promise<void>
  /** It was refused or failed. */
  refused(request: FastifyRequest, contract: RouteContract, error: unknown): Promise<void>
}

interface Noted {
  target?: AuditTarget
  detail: Record<string, Fact>
  entered?: readonly string[]
  claim?: { readonly email: string; readonly company: string | undefined }
}

/** Makes the recorder of requests. */
export function createRequestAudit(audit: Audit, store: Store): RequestAudit {
  const notes = new WeakMap<FastifyRequest, Noted>()
  const noted = (request: FastifyRequest): Noted => {
    const known = notes.get(request) ?? { detail: {} }
    notes.set(request, known)
    return known
  }
  const record = async (request: FastifyRequest, event: Pick<AuditEvent, 'action'> & Outcome) => {
    const { target, detail, claim, entered } = noted(request)
    const about = target ?? targetOfPath(request)
    const common = { from: request.ip, target: about, detail, ...event }
    const { caller } = request
    if (caller) {
      await audit.record({
        ...common,
        actor: actorOf(caller),
        companyId: caller.company.id,
        teamId: caller.team?.id,
      })
      return
    }
    if (!claim) return
    const isUnproven = event.result !== 'ok'
    const { actor, companyIds } = await placeOf(store, claim, isUnproven).catch(() =>
      nowhere(claim.email, isUnproven),
    )
    await Promise.all(
      (entered ?? companyIds).map((companyId) => audit.record({ ...common, actor, companyId })),
    )
  }
  return {
    note: (request) => ({
      target: (target) => void (noted(request).target = target),
      detail: (fields) => void Object.assign(noted(request).detail, fields),
      claim: (email, company) => void (noted(request).claim = { email, company }),
      entered: (companyIds) => void (noted(request).entered = companyIds),
    }),
    async done(request, { audit: action }) {
      if (action) await record(request, { action, result: 'ok' })
    },
    async refused(request, contract, error) {
      const outcome = outcomeOf(error)
      if (!contract.audit && request.caller && error instanceof ApiError && error.status === 403) {
        noted(request).target = { kind: 'operation', id: null, name: contract.operationId }
        noted(request).detail = { privileges: (error.details?.['any_of'] ?? null) as Fact }
        await record(request, { action: 'access.refused', ...outcome })
        return
      }
      if (!contract.audit || !isWorthKnowing(error)) return
      const recorded = record(request, { action: contract.audit, ...outcome })
      // Nobody who is not signed in learns from the time what was looked up for the audit.
      if (request.caller) await recorded
      else recorded.catch((err: unknown) => request.log.error({ err }, 'audit'))
    },
  }
}

type Outcome = Pick<AuditEvent, 'result' | 'code'>

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof ApiError)) return { result: 'failed', code: 'internal' }
  const isFault = error.status >= 500 && error.code !== 'too_many_logins'
  return { result: isFault ? 'failed' : 'refused', code: error.why ?? error.code }
}

/** Requests that could not be read, and those beyond the limit of requests, tell nothing. */
function isWorthKnowing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return ![400, 413, 415].includes(error.status) && error.code !== 'too_many_requests'
}

function actorOf({ credential, userId, email }: Caller): AuditActor {
  return credential.kind === 'key'
    ? { kind: 'key', id: credential.keyId, name: email }
    : { kind: 'user', id: userId, name: email }
}

/** What the parameters of paths name, the most particular first. */
const kindsInPaths = [
  ['keyId', 'key'],
  ['email', 'user'],
  ['guid', 'attack'],
  ['identifier', 'host'],
] as const

const looksLikeKey = (text: string) => /^(Key )?[0-9a-f]{64}$/i.test(text)

function targetOfPath({ params, caller }: FastifyRequest): AuditTarget | undefined {
  const named = params as Readonly<Record<string, string | undefined>>
  for (const [parameter, kind] of kindsInPaths) {
    const name = named[parameter]
    // Whoever sends a key instead of its name must not leave it here.
    if (name !== undefined) return { kind, id: null, name: looksLikeKey(name) ? '(a key)' : name }
  }
  if (named['team'] === undefined) return undefined
  const { id = null, name = named['team'] } = caller?.team ?? {}
  return { kind: 'team', id, name }
}

interface Place {
  readonly actor: AuditActor
  readonly companyIds: readonly (string | undefined)[]
}

/** In the chain of the installation: of users that are not known, or cannot be looked up. */
function nowhere(email: string, isUnproven: boolean): Place {
  const kind = isUnproven ? 'claimed' : 'user'
  return { actor: { kind, id: null, name: claimedName(email) }, companyIds: [undefined] }
}

/** Whose chains tell of somebody who is not signed in: those of the user's companies, else the installation's. */
async function placeOf(
  store: Store,
  { email, company }: NonNullable<Noted['claim']>,
  isUnproven: boolean,
): Promise<Place> {
  const user = await store.users.findByEmail(email)
  if (!user) return nowhere(email, isUnproven)
  const all = await store.users.companiesOf(user.id)
  const wanted = company?.trim().toLowerCase()
  const companies = await Promise.all(all.map((id) => store.companies.readCompany(id)))
  const named = companies.filter(
    (one) => one && (one.id === wanted || one.name.toLowerCase() === wanted),
  )
  const companyIds = wanted && named.length > 0 ? named.map((one) => one?.id) : all
  return {
    actor: { kind: isUnproven ? 'claimed' : 'user', id: user.id, name: user.email },
    companyIds: companyIds.length > 0 ? companyIds : [undefined],
  }
}

/** People type passwords into the wrong field: what is no address is not written down. */
function claimedName(email: string): string {
  return /^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email.trim()) ? email.trim() : '(not an email address)'
}
