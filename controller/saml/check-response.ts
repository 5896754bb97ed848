import type { Company } from '../store/companies.ts'
import type { SamlRequest } from '../store/saml.ts'
import type { SamlSettings, SignInSettings } from '../store/sign-in-settings.ts'
import type { Store } from '../store/store.ts'
import { shown } from '../auth/sso-refusal.ts'
import {
  checkIssuer,
  readAssertion,
  readAttributes,
  type AssertionFacts,
  type SamlAttribute,
} from './assertion.ts'
import type { XmlElement } from './libraries.ts'
import { ns } from './names.ts'
import type { Pace } from './pace.ts'
import type { SamlAddresses } from './provider.ts'
import { SamlRefusal } from './refusal.ts'
import { parseRelayState, type RelayState } from './relay-state.ts'
import { verifySignatures } from './signature.ts'
import { readForm, type ResponseForm } from './structure.ts'
import { attributeOf, childrenNamed, decodeResponse, parseXml, textOf } from './xml.ts'

export interface CheckDeps {
  readonly store: Store
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

/** What is known of a sign-in so far, for whoever is told why it was refused. */
export interface Trace {
  company?: Company
  /** The sign-in that it answers. */
  request?: SamlRequest
  email?: string | undefined
  issuer?: string | undefined
  inResponseTo?: string | undefined
  attributes?: readonly SamlAttribute[]
  /** Whether the provider has signed it; nothing of the above counts before. */
  isProven?: boolean
}

/** A response of which all holds, used up. */
export interface Checked {
  readonly company: Company
  readonly settings: SignInSettings
  readonly saml: SamlSettings
  readonly facts: AssertionFacts
  /** SHA-256 of the certificate that it is signed with. */
  readonly certificate: string
  readonly destination: string
}

/**
 * Checks a response, in the order that tells most, and uses it up. Nothing else is changed.
 * @throws SamlRefusal naming the first check that fails
 */
export async function checkResponse(
  deps: CheckDeps,
  given: SamlPost,
  trace: Trace,
): Promise<Checked> {
  const { store } = deps
  const addresses = deps.addresses()
  const relay = await readRelayState(deps, given, trace)
  const { text, root } = await deps.pace.run(() => readXml(given.samlResponse))
  trace.inResponseTo = attributeOf(root, 'InResponseTo')
  const request = await findRequest(store, trace, relay)
  const form = readForm(root)
  Object.assign(trace, namedIn(form.assertion))
  const company = trace.company
  if (!company) throw new SamlRefusal('company', 'No company is named that there is.')
  const settings = await store.signInSettings.read(company.id)
  const { saml } = settings
  if (!saml || !(settings.preferences.samlEnabled || request?.testId))
    throw new SamlRefusal('settings', 'The company does not sign in with SAML.')
  checkBeginning(request, saml)
  const signed = await deps.pace.run(() => verifySignatures(text, form, saml.certificates))
  Object.assign(trace, { ...namedIn(signed.assertion), isProven: true })
  const facts = readAssertion(signed.assertion, {
    issuer: saml.entityId,
    audience: addresses.entityId,
    recipient: addresses.acs,
    nowMs: Date.now(),
  })
  trace.email = facts.email
  checkMessage(form, facts, saml, addresses)
  await useUp(store, saml, facts)
  const destination = (request ?? relay)?.destination ?? '/'
  return { company, settings, saml, facts, certificate: signed.certificate, destination }
}

function readXml(base64: string): { text: string; root: XmlElement } {
  const text = decodeResponse(base64)
  return { text, root: parseXml(text) }
}

/** Also what a refusal before that would not know: whose company it is about. */
async function readRelayState(
  { store, addresses }: CheckDeps,
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
  trace.request = request
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

/** Whom an assertion names, for the trace alone: this may read what nothing has signed. */
function namedIn(assertion: XmlElement): Pick<Trace, 'email' | 'issuer' | 'attributes'> {
  const [issuer] = childrenNamed(assertion, ns.assertion, 'Issuer')
  const [subject] = childrenNamed(assertion, ns.assertion, 'Subject')
  const [nameId] = subject ? childrenNamed(subject, ns.assertion, 'NameID') : []
  return {
    issuer: issuer && textOf(issuer)?.trim(),
    email: nameId && textOf(nameId)?.trim(),
    attributes: readAttributes(assertion),
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
