import { randomBytes } from 'node:crypto'
import { timestamp } from '../../shared/api/timestamp.ts'
import { changesOf } from '../audit/changes.ts'
import type { AuditNote } from '../audit/of-request.ts'
import { applyClaims, previewClaims, type Claiming, type RoleChange } from '../auth/apply-claims.ts'
import { testLocation } from '../auth/destination.ts'
import type { Seal } from '../auth/seal.ts'
import { ssoRefused, SsoRefusal, traced } from '../auth/sso-refusal.ts'
import { tellTest } from '../auth/sso-test.ts'
import type { Store } from '../store/store.ts'
import { readClaimsWithAliases } from './aliases.ts'
import {
  checkResponse,
  type Checked,
  type CheckDeps,
  type SamlPost,
  type Trace,
} from './check-response.ts'
import { SamlRefusal } from './refusal.ts'
import { appLocation } from './relay-state.ts'

export interface ResponseDeps extends CheckDeps {
  readonly seal: Seal
}

/**
 * Lets somebody in whom the identity provider of a company vouches for: gives where the browser goes on,
 * with a code that is good once. One that answers a test lets nobody in, whatever it says.
 * @throws ApiError `sso_refused`, the same whatever is wrong; the company's admins can read what was
 */
export async function acceptResponse(
  deps: ResponseDeps,
  given: SamlPost,
  note: AuditNote,
): Promise<string> {
  const trace: Trace = {}
  try {
    const checked = await checkResponse(deps, given, trace)
    const claiming = await claimingOf(deps.store, checked)
    if (trace.request?.testId === undefined) return await letIn(deps, checked, claiming, note)
    const { company, facts } = checked
    const change = await previewClaims(deps.store, company, facts.email, claiming)
    return await answerTest(deps, trace, { change })
  } catch (error) {
    const refusal = toRefusal(error)
    if (!refusal) throw error
    if (trace.request?.testId !== undefined) return await answerTest(deps, trace, { refusal })
    await tellRefusal(deps.store, refusal, trace, given, note)
    throw ssoRefused(refusal.check)
  }
}

/** For the company's admins; and for the audit, unless anybody could have caused it and did so often. */
async function tellRefusal(
  { signInFailures }: Store,
  refusal: SsoRefusal,
  trace: Trace,
  given: SamlPost,
  note: AuditNote,
): Promise<void> {
  const { company, isProven, email = '' } = trace
  if (company) await signInFailures.add(company.id, failureOf(refusal, trace, given))
  if (!isProven && !(await signInFailures.mayTell(company?.id))) return
  note.claim(email, company?.id)
  if (company) note.entered([company.id])
}

/** Whoever tries a provider sees what came, in the app. */
async function answerTest(
  { store, addresses }: ResponseDeps,
  trace: Trace,
  ended: { readonly change: RoleChange } | { readonly refusal: SsoRefusal },
): Promise<string> {
  const { company, isProven = false, issuer, email, attributes: claims = [] } = trace
  const { destination = '/', testId = '' } = trace.request ?? {}
  const came = { isProven, issuer, email, claims }
  if (company) await tellTest(store, company.id, testId, { came, ...ended })
  return testLocation(addresses().app, destination, testId)
}

function toRefusal(error: unknown): SsoRefusal | undefined {
  if (error instanceof SsoRefusal) return error
  // Nested deeper than whatever walks it may recurse.
  if (error instanceof RangeError) return new SamlRefusal('structure', 'It is nested too deeply.')
  return undefined
}

function failureOf(refusal: SsoRefusal, trace: Trace, { address, requestId }: SamlPost) {
  return {
    time: timestamp(Date.now()),
    method: 'saml' as const,
    check: refusal.check,
    reason: refusal.message,
    email: traced(trace.email),
    issuer: traced(trace.issuer),
    in_response_to: traced(trace.inResponseTo),
    from: address,
    request_id: requestId,
  }
}

async function claimingOf(store: Store, { company, settings, facts }: Checked): Promise<Claiming> {
  const { samlAliasesEnabled, claimsRequired } = settings.preferences
  const aliases = samlAliasesEnabled
    ? await store.samlAliases.list(company.id)
    : new Map<string, never>()
  return {
    read: () => readClaimsWithAliases(facts.attributes, aliases),
    areRequired: claimsRequired,
  }
}

async function letIn(
  { store, seal, addresses }: ResponseDeps,
  { company, saml, facts, certificate, destination }: Checked,
  claiming: Claiming,
  note: AuditNote,
): Promise<string> {
  const { before, after } = await applyClaims(store, company, facts.email, claiming)
  const code = randomBytes(32).toString('base64url')
  const ticket = { email: facts.email, companyId: company.id, version: saml.version, certificate }
  await store.samlFlow.putTicket(seal.hashToken(code), ticket)
  note.claim(facts.email, company.id)
  note.entered([company.id])
  note.detail(changesOf(before, after))
  return appLocation(addresses().app, code, destination)
}
