import { newParser, type XmlElement, type XmlNode } from './libraries.ts'
import { SamlRefusal } from './refusal.ts'
import { checkWellFormed } from './well-formed.ts'

/** Limits of what is parsed at all; a real response has some 60 elements and 10 KiB. */
const bytesLimit = 128 * 1024
const limits = { depth: 32, elements: 1_000, attributes: 3_000 }

/**
 * The text of a response as the HTTP-POST binding carries it: base64 of UTF-8.
 * @throws SamlRefusal `encoding`
 */
export function decodeResponse(base64: string): string {
  const bare = base64.replaceAll(/[\r\n\t ]/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(bare) || bare.length % 4 !== 0)
    throw new SamlRefusal('encoding', 'SAMLResponse is not base64.')
  const bytes = Buffer.from(bare, 'base64')
  if (bytes.length > bytesLimit)
    throw new SamlRefusal('encoding', `SAMLResponse has more than ${bytesLimit} bytes.`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new SamlRefusal('encoding', 'SAMLResponse is not UTF-8.')
  }
}

/**
 * Parses XML that may hold elements, attributes and text, nothing else: no DOCTYPE, so no entity, no
 * processing instruction, no CDATA. Comments are gone from what is signed, so only the signed text is read.
 * @throws SamlRefusal `structure`
 */
export function parseXml(text: string): XmlElement {
  checkMarkup(text)
  const errorHandler = { warning: fail, error: fail, fatalError: fail }
  const parser = newParser({ errorHandler, locator: {} })
  const root = parser.parseFromString(text, 'text/xml')?.documentElement
  return root ?? fail('there is no element')
}

function fail(message: string): never {
  throw new SamlRefusal('structure', `not well-formed XML: ${message.slice(0, 100)}`)
}

/** Before any parser sees it: what could make one slow, read other files, or guess. */
function checkMarkup(text: string): void {
  if (/<!DOCTYPE|<!ENTITY|<!ELEMENT|<!ATTLIST/i.test(text))
    throw new SamlRefusal('structure', 'There is a document type declaration.')
  if (text.includes('<![CDATA[')) throw new SamlRefusal('structure', 'There is a CDATA section.')
  const bare = text.replace(/^<\?xml [^?]{1,100}\?>/, '')
  if (bare.includes('<?')) throw new SamlRefusal('structure', 'There is a processing instruction.')
  checkWellFormed(bare, limits)
}

/** The child elements. */
export function childrenOf(parent: XmlElement): XmlElement[] {
  return [...nodesOf(parent)].filter((node): node is XmlElement => node.nodeType === 1)
}

/** The child elements with this name. */
export function childrenNamed(parent: XmlElement, namespace: string, name: string): XmlElement[] {
  return childrenOf(parent).filter((child) => isNamed(child, namespace, name))
}

export function isNamed(element: XmlElement, namespace: string, name: string): boolean {
  return element.localName === name && element.namespaceURI === namespace
}

/** The element and all below it, in the order of the document. */
export function* allBelow(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of childrenOf(element)) yield* allBelow(child)
}

/** The attribute; empty counts as absent. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.getAttribute(name) || undefined
}

/** The text of an element that holds nothing but text; undefined when it holds more. */
export function textOf(element: XmlElement): string | undefined {
  const nodes = [...nodesOf(element)]
  if (nodes.some((node) => node.nodeType !== 3)) return undefined
  return nodes.map((node) => node.nodeValue ?? '').join('')
}

function* nodesOf(parent: XmlElement): Generator<XmlNode> {
  for (let node = parent.firstChild; node; node = node.nextSibling) yield node
}
