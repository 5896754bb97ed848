import { shown } from '../auth/sso-refusal.ts'
import type { XmlElement } from './libraries.ts'
import { bearer, emailFormat, ns, unspecifiedFormat } from './names.ts'
import { SamlRefusal } from './refusal.ts'
import { attributeOf, childrenNamed, childrenOf, textOf } from './xml.ts'

/** What clocks may differ. */
const skewMs = 60_000
/** How old an assertion may be when it arrives. */
const ageLimitMs = 10 * 60_000

/** An attribute of the assertion. Two of the same name are two. */
export interface SamlAttribute {
  readonly name: string
  readonly values: readonly string[]
}

/** What a signed assertion says, once all of it holds here and now. */
export interface AssertionFacts {
  readonly id: string
  readonly email: string
  /** Absent where the provider began. */
  readonly inResponseTo: string | undefined
  /** Until when a second one with this id would be a replay. */
  readonly rememberUntilMs: number
  readonly attributes: readonly SamlAttribute[]
}

/** Who asserts to whom, and when. */
export interface AssertionContext {
  readonly issuer: string
  readonly audience: string
  readonly recipient: string
  readonly nowMs: number
}

/**
 * Reads an assertion that was parsed from its signed text.
 * @throws SamlRefusal naming the first check that fails
 */
export function readAssertion(assertion: XmlElement, context: AssertionContext): AssertionFacts {
  const id = attributeOf(assertion, 'ID')
  if (!id || attributeOf(assertion, 'Version') !== '2.0')
    throw new SamlRefusal('structure', 'The assertion has no ID or is not of version 2.0.')
  checkIssuer(childrenNamed(assertion, ns.assertion, 'Issuer'), context.issuer)
  const conditionsUntilMs = checkTimes(assertion, context.nowMs)
  checkAudience(assertion, context.audience)
  const subject = one(assertion, 'Subject', 'subject')
  const email = readEmail(subject)
  const { inResponseTo, untilMs } = readConfirmation(subject, context)
  const { nowMs } = context
  return {
    id,
    email,
    inResponseTo,
    // Afterwards it is too old by itself, however long it says that it is good.
    rememberUntilMs:
      Math.min(Math.max(conditionsUntilMs, untilMs), nowMs + ageLimitMs) + 2 * skewMs,
    attributes: checkedAttributes(assertion),
  }
}

/** Each issuer that is named must be the provider. @throws SamlRefusal `issuer` */
export function checkIssuer(issuers: readonly XmlElement[], expected: string): void {
  const [issuer] = issuers
  const text = issuer && textOf(issuer)?.trim()
  if (issuers.length !== 1 || text !== expected)
    throw new SamlRefusal('issuer', `The issuer is ${shown(text)}, expected ${shown(expected)}.`)
}

/** Gives the end of the conditions, ms. */
function checkTimes(assertion: XmlElement, nowMs: number): number {
  const issuedMs = timeOf(assertion, 'IssueInstant')
  if (issuedMs === undefined) late('IssueInstant is missing.')
  if (issuedMs > nowMs + skewMs) late(`issued at ${iso(issuedMs)}, which is to come.`)
  if (issuedMs < nowMs - ageLimitMs - skewMs)
    late(`issued at ${iso(issuedMs)}, more than ten minutes ago.`)
  const conditions = one(assertion, 'Conditions', 'times')
  const [fromMs, untilMs] = [timeOf(conditions, 'NotBefore'), timeOf(conditions, 'NotOnOrAfter')]
  if (untilMs === undefined) late('Conditions has no NotOnOrAfter.')
  if (untilMs + skewMs <= nowMs) late(`good until ${iso(untilMs)}, which is past.`)
  if (fromMs !== undefined && fromMs - skewMs > nowMs)
    late(`good from ${iso(fromMs)}, which is to come.`)
  for (const statement of childrenNamed(assertion, ns.assertion, 'AuthnStatement')) {
    const endMs = timeOf(statement, 'SessionNotOnOrAfter')
    if (endMs !== undefined && endMs + skewMs <= nowMs)
      late(`the provider's session ended at ${iso(endMs)}.`)
  }
  return untilMs
}

/** Conditions that nobody here understands are not met. */
const understood = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'])

function checkAudience(assertion: XmlElement, expected: string): void {
  const conditions = one(assertion, 'Conditions', 'times')
  const strange = childrenOf(conditions).find(({ localName }) => !understood.has(localName))
  if (strange)
    throw new SamlRefusal('audience', `There is a condition ${shown(strange.localName)}.`)
  const restrictions = childrenNamed(conditions, ns.assertion, 'AudienceRestriction')
  const all = restrictions.map((restriction) =>
    childrenNamed(restriction, ns.assertion, 'Audience').map((audience) =>
      textOf(audience)?.trim(),
    ),
  )
  if (all.length > 0 && all.every((audiences) => audiences.includes(expected))) return
  throw new SamlRefusal(
    'audience',
    `The audience is ${shown(all.flat().join(', '))}, expected ${shown(expected)}.`,
  )
}

function readEmail(subject: XmlElement): string {
  const nameId = one(subject, 'NameID', 'subject')
  const format = attributeOf(nameId, 'Format') ?? unspecifiedFormat
  if (format !== emailFormat && format !== unspecifiedFormat)
    throw new SamlRefusal('subject', `The format of NameID is ${shown(format)}, not emailAddress.`)
  const text = textOf(nameId)?.trim() ?? ''
  if (!/^[^\s@|;,]{1,64}@[^\s@|;,]{1,189}$/.test(text))
    throw new SamlRefusal('subject', `NameID is ${shown(text)}, not an email address.`)
  return text.toLowerCase()
}

/** One of the confirmations must be by a bearer who was meant to come here, now. */
function readConfirmation(subject: XmlElement, { recipient, nowMs }: AssertionContext) {
  const faults: SamlRefusal[] = []
  for (const confirmation of childrenNamed(subject, ns.assertion, 'SubjectConfirmation')) {
    const [data] = childrenNamed(confirmation, ns.assertion, 'SubjectConfirmationData')
    const untilMs = data && timeOf(data, 'NotOnOrAfter')
    const to = data && attributeOf(data, 'Recipient')
    if (attributeOf(confirmation, 'Method') !== bearer) continue
    if (!data || to !== recipient)
      faults.push(
        new SamlRefusal(
          'recipient',
          `The recipient is ${shown(to)}, expected ${shown(recipient)}.`,
        ),
      )
    else if (untilMs === undefined || untilMs + skewMs <= nowMs || data.hasAttribute('NotBefore'))
      faults.push(
        new SamlRefusal(
          'times',
          `the confirmation is good until ${untilMs === undefined ? 'nothing' : iso(untilMs)}, or has a NotBefore.`,
        ),
      )
    else return { untilMs, inResponseTo: attributeOf(data, 'InResponseTo') }
  }
  throw faults[0] ?? new SamlRefusal('subject', 'There is no confirmation by a bearer.')
}

function checkedAttributes(assertion: XmlElement): SamlAttribute[] {
  const bad = attributesIn(assertion).find(
    ({ name, values }) => isOfRoles(name) && values.includes(undefined),
  )
  if (bad) throw new SamlRefusal('claims', `A value of ${shown(bad.name)} holds more than text.`)
  return readAttributes(assertion)
}

/** All attributes with their values, but those that hold more than text. */
export function readAttributes(assertion: XmlElement): SamlAttribute[] {
  return attributesIn(assertion).map(({ name, values }) => ({
    name,
    values: values.filter((value) => value !== undefined),
  }))
}

function attributesIn(assertion: XmlElement) {
  return childrenNamed(assertion, ns.assertion, 'AttributeStatement').flatMap((statement) =>
    childrenNamed(statement, ns.assertion, 'Attribute').map((attribute) => ({
      name: attributeOf(attribute, 'Name') ?? '',
      values: childrenNamed(attribute, ns.assertion, 'AttributeValue').map(textOf),
    })),
  )
}

/** Others are of no interest, whatever they hold. */
function isOfRoles(name: string): boolean {
  return name.startsWith('company:') || name.startsWith('team:')
}

function one(parent: XmlElement, name: string, check: 'subject' | 'times'): XmlElement {
  const [first, ...others] = childrenNamed(parent, ns.assertion, name)
  if (first && others.length === 0) return first
  throw new SamlRefusal(check, `There is not exactly one ${name}.`)
}

/** Epoch ms. @throws SamlRefusal `times` for what is no time in UTC */
function timeOf(element: XmlElement, name: string): number | undefined {
  const text = attributeOf(element, name)
  if (text === undefined) return undefined
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text)
  const ms = isTime ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) late(`${name} is ${shown(text)}, which is no time.`)
  return ms
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function late(reason: string): never {
  throw new SamlRefusal('times', reason)
}
