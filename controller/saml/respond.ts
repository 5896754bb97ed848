import { randomBytes } from 'node:crypto'
import { timestamp } from '../../shared/api/timestamp.ts'
import { changesOf } from '../audit/changes.ts'
import type { AuditNote } from '../audit/of-request.ts'
import type { Seal } from '../auth/seal.ts'
import { applyClaims } from '../auth/apply-claims.ts'
import { shown, ssoRefused, SsoRefusal, traced } from '../auth/sso-refusal.ts'
import type { Company } from '../store/companies.ts'
import type { SamlRequest } from '../store/saml.ts'
import type { SamlSettings } from '../store/sign-in-settings.ts'
import type { Store } from '../store/store.ts'
import { readClaimsWithAliases } from './aliases.ts'
import { checkIssuer, readAssertion, type AssertionFacts } from './assertion.ts'
import type { XmlElement } from './libraries.ts'
import { ns } from './names.ts'
import type { Pace } from './pace.ts'
import type { SamlAddresses } from './provider.ts'
import { SamlRefusal } from './refusal.ts'
import { appLocation, parseRelayState, type RelayState } from './relay-state.ts'
import { verifySignatures } from './signature.ts'
import { readForm, type ResponseForm } from './structure.ts'
import { attributeOf, childrenNamed, decodeResponse, parseXml, textOf } from './xml.ts'

export interface ResponseDeps {
  readonly store: Store
  readonly seal: Seal
  readonly addresses: () => SamlAddresses
  /** How fast responses are read: that is work for the one thread that everything runs on. */
  readonly pace: Pace
}

/** What the browser of somebody brings from an identity provider. */
export interface SamlPost {
  readonly samlResponse: string
  readonly relayState: string | undefined
  readonly address: string
  readonly requestId: string
}

/** What is known of a sign-in so far, for the trace of a refusal. Proven by nothing. */
interface Trace {
  company?: Company
  email?: string | undefined
  issuer?: string | undefined
  inResponseTo?: string | undefined
}

/**
 * Lets somebody in whom the identity provider of a company vouches for: gives where the browser goes on,
 * with a code that is good once.
 * @throws ApiError `sso_refused`, the same whatever is wrong; the company's admins can read what was
 */
export async function acceptResponse(
  deps: ResponseDeps,
  given: SamlPost,
  note: AuditNote,
): Promise<string> {
  const trace: Trace = {}
  try {
    return await accept(deps, given, trace, note)
  } catch (error) {
    const refusal = toRefusal(error)
    if (!refusal) throw error
    note.claim(trace.email ?? '', trace.company?.id)
    if (trace.company) {
      note.entered([trace.company.id])
      await deps.store.signInFailures.add(trace.company.id, failureOf(refusal, trace, given))
    }
    throw ssoRefused(refusal.check)
  }
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

async function accept(
  deps: ResponseDeps,
  given: SamlPost,
  trace: Trace,
  note: AuditNote,
): Promise<string> {
  const { store, seal } = deps
  const addresses = deps.addresses()
  const relay = await readRelayState(deps, given, trace)
  const { text, root } = await deps.pace(() => readXml(given.samlResponse))
  trace.inResponseTo = attributeOf(root, 'InResponseTo')
  const request = await findRequest(store, trace, relay)
  const form = readForm(root)
  Object.assign(trace, namedIn(form.assertion))
  const company = trace.company
  if (!company) throw new SamlRefusal('company', 'No company is named that there is.')
  const { preferences, saml } = await store.signInSettings.read(company.id)
  if (!saml || !preferences.samlEnabled)
    throw new SamlRefusal('settings', 'The company does not sign in with SAML.')
  checkBeginning(request, saml)
  const signed = await deps.pace(() => verifySignatures(text, form, saml.certificates))
  const facts = readAssertion(signed.assertion, {
    issuer: saml.entityId,
    audience: addresses.entityId,
    recipient: addresses.acs,
    nowMs: Date.now(),
  })
  trace.email = facts.email
  checkMessage(form, facts, saml, addresses)
  await useUp(store, saml, facts)
  const aliases = preferences.samlAliasesEnabled
    ? await store.samlAliases.list(company.id)
    : new Map<string, never>()
  const { before, after } = await applyClaims(store, company, facts.email, {
    read: () => readClaimsWithAliases(facts.attributes, aliases),
    areRequired: preferences.claimsRequired,
  })
  const code = randomBytes(32).toString('base64url')
  const { certificate } = signed
  const ticket = { email: facts.email, companyId: company.id, version: saml.version, certificate }
  await store.samlFlow.putTicket(seal.hashToken(code), ticket)
  note.claim(facts.email, company.id)
  note.entered([company.id])
  note.detail(changesOf(before, after))
  return appLocation(addresses.app, code, (request ?? relay)?.destination ?? '/')
}

function readXml(base64: string): { text: string; root: XmlElement } {
  const text = decodeResponse(base64)
  return { text, root: parseXml(text) }
}

/** Also what a refusal before that would not know: whose company it is about. */
async function readRelayState(
  { store, addresses }: ResponseDeps,
  { relayState }: SamlPost,
  trace: Trace,
): Promise<RelayState | undefined> {
  const [name = ''] = relayState?.split('|||') ?? []
  const company = name ? await store.companies.findCompany(name) : undefined
  if (company) trace.company = company
  return parseRelayState(relayState, addresses().app)
}

/** The sign-in that it answers. Its company counts; the RelayState must not name another. */
async function findRequest(
  store: Store,
  trace: Trace,
  relay: RelayState | undefined,
): Promise<SamlRequest | undefined> {
  if (trace.inResponseTo === undefined) {
    if (relay) return undefined
    throw new SamlRefusal('relay_state', 'There is no RelayState, so no company is named.')
  }
  const request = await store.samlFlow.findRequest(trace.inResponseTo)
  if (!request)
    throw new SamlRefusal('in_response_to', 'It answers no sign-in that began here and waits.')
  const named = trace.company
  const company = await store.companies.readCompany(request.companyId)
  if (company) trace.company = company
  if (relay && named?.id !== request.companyId)
    throw new SamlRefusal('relay_state', 'RelayState names another company than the sign-in.')
  return request
}

function checkBeginning(request: SamlRequest | undefined, saml: SamlSettings): void {
  if (!request && !saml.idpInitiated)
    throw new SamlRefusal(
      'in_response_to',
      'The provider began the sign-in, which the company does not allow (idpInitiated).',
    )
  if (request && request.version !== saml.version)
    throw new SamlRefusal('in_response_to', 'The settings were changed since the sign-in began.')
}

/** Whom an assertion names, for the trace alone: this reads what nothing has signed yet. */
function namedIn(assertion: XmlElement): Pick<Trace, 'email' | 'issuer'> {
  const [issuer] = childrenNamed(assertion, ns.assertion, 'Issuer')
  const [subject] = childrenNamed(assertion, ns.assertion, 'Subject')
  const [nameId] = subject ? childrenNamed(subject, ns.assertion, 'NameID') : []
  return {
    issuer: issuer && textOf(issuer)?.trim(),
    email: nameId && textOf(nameId)?.trim(),
  }
}

/** What the message says around the assertion may only agree with it. */
function checkMessage(
  { response, responseSignature }: ResponseForm,
  facts: AssertionFacts,
  saml: SamlSettings,
  { acs }: SamlAddresses,
): void {
  const issuers = childrenNamed(response, ns.assertion, 'Issuer')
  if (issuers.length > 0) checkIssuer(issuers, saml.entityId)
  const destination = attributeOf(response, 'Destination')
  if (destination === undefined ? responseSignature !== undefined : destination !== acs)
    throw new SamlRefusal(
      'destination',
      `The destination is ${shown(destination)}, expected ${shown(acs)}.`,
    )
  const inResponseTo = attributeOf(response, 'InResponseTo')
  if (facts.inResponseTo !== inResponseTo)
    throw new SamlRefusal(
      'in_response_to',
      `The response answers ${shown(inResponseTo)}, its assertion ${shown(facts.inResponseTo)}.`,
    )
}

/** Once: neither the sign-in that it answers nor the assertion is good again. */
async function useUp(store: Store, saml: SamlSettings, facts: AssertionFacts): Promise<void> {
  if (facts.inResponseTo !== undefined && !(await store.samlFlow.takeRequest(facts.inResponseTo)))
    throw new SamlRefusal('in_response_to', 'The sign-in was answered already.')
  const { id, rememberUntilMs } = facts
  if (!(await store.samlFlow.seeAssertion(saml.entityId, id, rememberUntilMs)))
    throw new SamlRefusal('replay', 'This assertion was used already.')
}
