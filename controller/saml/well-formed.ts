import { SamlRefusal } from './refusal.ts'

/** What is read at all; a real response has some 60 elements. */
export interface XmlLimits {
  readonly depth: number
  readonly elements: number
  readonly attributes: number
}

const name = '[A-Za-z_][A-Za-z0-9_.-]*(?::[A-Za-z_][A-Za-z0-9_.-]*)?'
const attribute = `${name}[ \\t\\r\\n]*=[ \\t\\r\\n]*(?:"[^"<]*"|'[^'<]*')`
const tokens = [
  '<!--(?<comment>[^]*?)-->',
  `</(?<end>${name})[ \\t\\r\\n]*>`,
  `<(?<start>${name})(?<attributes>(?:[ \\t\\r\\n]+${attribute})*)[ \\t\\r\\n]*(?<empty>/?)>`,
  '(?<text>[^<]+)',
].join('|')

/**
 * Checks that a text is one element of well-formed XML made of elements, attributes, text and comments. The
 * parser is lenient, and what it guesses at must not be what is signed. One pass, no memory to speak of.
 * @throws SamlRefusal `structure`
 */
export function checkWellFormed(text: string, limits: XmlLimits): void {
  const seen: Seen = { open: [], elements: 0, attributes: 0 }
  const token = new RegExp(tokens, 'y')
  while (token.lastIndex < text.length) {
    const at = token.lastIndex
    const found = token.exec(text)?.groups
    if (!found) refuse(`not well-formed XML at character ${at}`)
    if (found['start'] === undefined) checkOther(found, seen)
    else checkStart(found['start'], found, seen, limits)
  }
  if (seen.open.length > 0 || seen.elements === 0) refuse('not well-formed XML: it ends too early')
}

interface Seen {
  /** Names of the elements that have not ended. */
  readonly open: string[]
  elements: number
  attributes: number
}

type Found = Readonly<Record<string, string | undefined>>

function checkOther({ comment, text, end }: Found, { open }: Seen): void {
  if (comment?.includes('--')) refuse('a comment holds --')
  if (text !== undefined) checkText(text, open.length > 0)
  if (end !== undefined && open.pop() !== end) refuse(`</${end}> ends another element`)
}

function checkStart(tag: string, found: Found, seen: Seen, limits: XmlLimits): void {
  if (seen.open.length === 0 && seen.elements > 0) refuse('there are two elements at the top')
  seen.elements += 1
  seen.attributes += checkAttributes(found['attributes'] ?? '')
  if (found['empty'] === '') seen.open.push(tag)
  const { depth, elements, attributes } = limits
  if (seen.open.length > depth) refuse(`elements are nested deeper than ${depth} levels`)
  if (seen.elements > elements) refuse(`there are more than ${elements} elements`)
  if (seen.attributes > attributes) refuse(`there are more than ${attributes} attributes`)
}

/** Gives how many there are. */
function checkAttributes(text: string): number {
  const all = [...text.matchAll(new RegExp(attribute, 'g'))].map(([pair]) => pair)
  const names = all.map((pair) => pair.slice(0, pair.search(/[ \t\r\n=]/)))
  if (new Set(names).size !== names.length) refuse('an element has the same attribute twice')
  checkText(text, true)
  return all.length
}

function checkText(text: string, isInside: boolean): void {
  if (!isInside && /[^ \t\r\n]/.test(text)) refuse('there is text outside of the element')
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|]]>/.test(text))
    refuse('there are characters that XML does not have')
  for (const [, reference] of text.matchAll(/&([^;]{0,12};?)/g))
    if (!isReference(reference ?? '')) refuse('there is an entity that nobody has declared')
}

function isReference(text: string): boolean {
  if (/^(amp|lt|gt|quot|apos);$/.test(text)) return true
  const [, decimal, hexadecimal] = /^#(?:(\d{1,7})|x([0-9A-Fa-f]{1,6}));$/.exec(text) ?? []
  if (!decimal && !hexadecimal) return false
  const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16)
  return code === 9 || code === 10 || code === 13 || (code >= 32 && code < 0xd800) || isHigh(code)
}

function isHigh(code: number): boolean {
  return (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
}

function refuse(reason: string): never {
  throw new SamlRefusal('structure', `${reason[0]?.toUpperCase() ?? ''}${reason.slice(1)}.`)
}
