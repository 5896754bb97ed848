import { shown } from '../auth/sso-refusal.ts'
import type { XmlElement } from './libraries.ts'
import {
  digestAlgorithms,
  envelopedSignature,
  exclusiveCanonical,
  ns,
  signatureAlgorithms,
  success,
} from './names.ts'
import { SamlRefusal } from './refusal.ts'
import { allBelow, attributeOf, childrenNamed, childrenOf, isNamed } from './xml.ts'

/** A response whose form leaves no choice of what is meant. Nothing in it is proven. */
export interface ResponseForm {
  readonly response: XmlElement
  readonly assertion: XmlElement
  /** Of the response, of the assertion, or of both. */
  readonly responseSignature: XmlElement | undefined
  readonly assertionSignature: XmlElement | undefined
}

/** Looks at the form alone. @throws SamlRefusal `structure`, `signature` */
export function readForm(response: XmlElement): ResponseForm {
  if (!isNamed(response, ns.protocol, 'Response')) refuse('The document is not a Response.')
  const all = [...allBelow(response)]
  const count = (name: string) => all.filter(({ localName }) => localName === name).length
  if (count('Response') !== 1) refuse('There is more than one Response.')
  if (count('EncryptedAssertion') > 0 || count('EncryptedID') > 0)
    refuse('The assertion is encrypted; have the provider send it unencrypted.')
  checkStatus(response)
  const [assertion] = childrenNamed(response, ns.assertion, 'Assertion')
  if (!assertion || count('Assertion') !== 1) refuse('There is not exactly one Assertion in it.')
  checkIds(all)
  const signatures = all.filter(({ localName }) => localName === 'Signature')
  if (signatures.length === 0) throw new SamlRefusal('signature', 'Nothing is signed.')
  const [responseSignature, assertionSignature] = [response, assertion].map((element) => {
    const own = signatures.filter((one) => one.parentNode === element)
    if (own.length > 1) refuse('An element has two signatures.')
    return own[0]
  })
  const placed = [responseSignature, assertionSignature].filter((one) => one !== undefined)
  if (signatures.length !== placed.length) refuse('There is a signature where none belongs.')
  for (const signature of placed) checkSignatureForm(signature)
  return { response, assertion, responseSignature, assertionSignature }
}

/** A provider that lets nobody in says so, without an assertion and mostly unsigned. */
function checkStatus(response: XmlElement): void {
  const statuses = childrenNamed(response, ns.protocol, 'Status')
  const [code, ...others] = statuses.flatMap((one) => childrenNamed(one, ns.protocol, 'StatusCode'))
  const value = code && attributeOf(code, 'Value')
  if (statuses.length !== 1 || others.length > 0 || value !== success)
    throw new SamlRefusal('status', `The provider answers ${shown(value)}.`)
}

/** An id that two elements have could be signed on one and read from the other. */
function checkIds(all: readonly XmlElement[]): void {
  const ids = all.flatMap((element) =>
    ['ID', 'Id', 'id', 'xml:id'].flatMap((name) => attributeOf(element, name) ?? []),
  )
  if (new Set(ids).size !== ids.length) refuse('Two elements have the same id.')
}

function checkSignatureForm(signature: XmlElement): void {
  const parent = signature.parentNode as XmlElement
  const names = childrenOf(signature).map((one) => `${one.namespaceURI}${one.localName}`)
  const known = ['SignedInfo', 'SignatureValue', 'KeyInfo'].map((one) => `${ns.signature}${one}`)
  const expected = names.length === 3 ? known : known.slice(0, 2)
  if (signature.namespaceURI !== ns.signature || names.join() !== expected.join())
    refuse('A Signature is not SignedInfo, SignatureValue and at most a KeyInfo.')
  if (holdsText(signature)) refuse('There is text between the parts of a Signature.')
  const info = only(signature, 'SignedInfo')
  const canonical = algorithmOf(only(info, 'CanonicalizationMethod'))
  if (canonical !== exclusiveCanonical) unsupported('canonicalization', canonical)
  const algorithm = algorithmOf(only(info, 'SignatureMethod'))
  if (!signatureAlgorithms.has(algorithm ?? '')) unsupported('signature algorithm', algorithm)
  checkBase64(only(signature, 'SignatureValue'))
  const reference = only(info, 'Reference')
  if (childrenOf(info).length !== 3) refuse('A SignedInfo holds more than it should.')
  const id = attributeOf(parent, 'ID')
  if (!id || attributeOf(reference, 'URI') !== `#${id}`)
    throw new SamlRefusal('signature', 'A signature is not of the element that it stands in.')
  checkReferenceForm(reference)
}

function checkReferenceForm(reference: XmlElement): void {
  const digest = algorithmOf(only(reference, 'DigestMethod'))
  if (!digestAlgorithms.has(digest ?? '')) unsupported('digest', digest)
  checkBase64(only(reference, 'DigestValue'))
  const transforms = childrenOf(only(reference, 'Transforms')).map(algorithmOf)
  if (transforms.join() !== `${envelopedSignature},${exclusiveCanonical}`)
    unsupported('transforms', transforms.join())
  if (childrenOf(reference).length !== 3) refuse('A Reference holds more than it should.')
}

function holdsText(parent: XmlElement): boolean {
  for (let node = parent.firstChild; node; node = node.nextSibling)
    if (node.nodeType === 3 && /[^ \t\r\n]/.test(node.nodeValue ?? '')) return true
  return false
}

/** One text, of which there is one spelling: what decoders let pass must not hide anything. */
function checkBase64(value: XmlElement): void {
  if (value.firstChild?.nodeType !== 3 || value.firstChild !== value.lastChild)
    refuse(`A ${value.localName} holds more than text.`)
  const text = value.firstChild.nodeValue?.replaceAll(/[ \t\r\n]/g, '') ?? ''
  if (Buffer.from(text, 'base64').toString('base64') !== text)
    refuse(`A ${value.localName} is not base64.`)
}

function only(parent: XmlElement, name: string): XmlElement {
  const [first, ...others] = childrenNamed(parent, ns.signature, name)
  if (!first || others.length > 0) refuse(`A signature does not have exactly one ${name}.`)
  return first
}

function algorithmOf(element: XmlElement): string | undefined {
  return attributeOf(element, 'Algorithm')
}

function unsupported(what: string, found: string | undefined): never {
  throw new SamlRefusal('signature', `${what} ${shown(found)} is not accepted; use RSA-SHA256.`)
}

function refuse(reason: string): never {
  throw new SamlRefusal('structure', reason)
}
