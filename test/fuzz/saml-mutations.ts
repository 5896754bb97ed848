import { wrapped } from '../support/saml-wrapping.ts'
import type { Random } from './random.ts'

/** Whom and what a changed response tries to smuggle in. */
export const evil = { email: 'evil@example.com', role: 'COMPANY_OWNER' } as const

const inserted = [
  '<!--x-->',
  '<!-- -- -->',
  '<?x y?>',
  '<![CDATA[x]]>',
  ']]>',
  '<a>',
  '</a>',
  '<a/>',
  '<!DOCTYPE a>',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '&b;',
  '&#0;',
  '&#x41;',
  '&lt;',
  '&',
  '<',
  '>',
  '"',
  "'",
  '\u0000',
  '\uFEFF',
  '\u2028',
  '\r',
  ' xmlns="urn:x"',
  ' xmlns:saml="urn:x"',
  ' xmlns:saml="urn:oasis:names:tc:SAML:2.0:protocol"',
  ' ID="_x"',
  ' xml:id="_x"',
  ' xml:space="preserve"',
  `<saml:Attribute Name="company:roles"><saml:AttributeValue>${evil.role}</saml:AttributeValue></saml:Attribute>`,
  `<saml:NameID>${evil.email}</saml:NameID>`,
  `<saml:Audience>https://x</saml:Audience>`,
]

/** An element of the text from its start tag to its end, by chance. */
function anElement(random: Random, xml: string): string {
  const names = [...xml.matchAll(/<([a-z]+:[A-Za-z0-9]+)[ >]/g)].map(([, name = '']) => name)
  const name = random.pick(names)
  return new RegExp(`<${name}[ >].*?</${name}>`, 's').exec(xml)?.[0] ?? '<a/>'
}

function aSpan(random: Random, xml: string): [number, number] {
  const start = random.int(0, Math.max(0, xml.length - 1))
  return [start, Math.min(xml.length, start + random.int(1, random.pick([1, 4, 40, 400])))]
}

const tampered = (text: string, email: string) =>
  text.replaceAll(email, evil.email).replaceAll('COMPANY_USER', evil.role)

type Mutation = (random: Random, xml: string, email: string) => string

const mutations: readonly Mutation[] = [
  (random, xml) => {
    const [start, end] = aSpan(random, xml)
    return xml.slice(0, start) + xml.slice(end)
  },
  (random, xml) => {
    const [start, end] = aSpan(random, xml)
    return xml.slice(0, end) + xml.slice(start)
  },
  (random, xml) => {
    const [start] = aSpan(random, xml)
    return xml.slice(0, start) + random.pick(inserted) + xml.slice(start)
  },
  // Where a parser looks: before and behind tags.
  (random, xml) => {
    const places = [...xml.matchAll(/[<>]/g)].map(({ index }) => index)
    if (places.length === 0) return `${xml}<`
    const at = random.pick(places) + random.int(0, 1)
    return xml.slice(0, at) + random.pick(inserted) + xml.slice(at)
  },
  (random, xml) => {
    const at = random.int(0, Math.max(0, xml.length - 1))
    return xml.slice(0, at) + String.fromCharCode(random.int(0, 0x24f)) + xml.slice(at + 1)
  },
  (random, xml) => xml.replace(anElement(random, xml), ''),
  (random, xml) => {
    const element = anElement(random, xml)
    return xml.replace(element, () => element + element)
  },
  (random, xml) => {
    const [one, two] = [anElement(random, xml), anElement(random, xml)]
    return xml.replace(one, () => two)
  },
  (random, xml, email) => wrapped(random.int(1, 8), xml, (text) => tampered(text, email)),
  (_random, xml, email) => tampered(xml, email),
  (random, xml) =>
    xml.replace(random.pick([/"[^"]*"/, /ID="[^"]*"/, /Algorithm="[^"]*"/, /URI="[^"]*"/]), () =>
      random.pick(['""', '"#"', '"x"', '"urn:x"', '"http://www.w3.org/2000/09/xmldsig#sha1"']),
    ),
  (random, xml) => xml.replaceAll(random.pick(['saml:', 'samlp:', 'ds:']), random.pick(['', 'x:'])),
  (random, xml) =>
    xml.replace(/\d{4}-\d\d-\d\dT/, random.pick(['9999-12-31T', '0000-00-00T', 'T'])),
]

/** The response, changed in one to three ways. */
export function mutate(random: Random, xml: string, email: string): string {
  let text = xml
  for (let count = random.int(1, 3); count > 0; count -= 1)
    text = random.pick(mutations)(random, text, email)
  return text
}

/** The same as it goes into the form, sometimes spoilt there. */
export function encode(random: Random, xml: string): string {
  const base64 = Buffer.from(xml).toString('base64')
  if (!random.chance(0.1)) return base64
  return random.pick([
    base64.replaceAll(/.{60}/g, '$&\r\n'),
    base64.slice(0, random.int(1, base64.length)),
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    `${base64}====`,
    Buffer.from(xml, 'utf16le').toString('base64'),
    Buffer.from(`\uFEFF${xml}`).toString('base64'),
    encodeURIComponent(base64),
    xml,
  ])
}

/** Whether both say the same: comments, blanks in tags and ends of lines are not signed. */
export function meansTheSame(a: string, b: string): boolean {
  return bare(a) === bare(b)
}

function bare(text: string): string {
  return text
    .replaceAll(/<!--.*?-->/gs, '')
    .replace(/^\s*(<\?xml [^?]*\?>)?\s*/, '')
    .replaceAll(/<[^>]*>/g, (tag) =>
      tag.replaceAll(/[ \t\r\n]*(=|\/?>|[ \t\r\n])/g, '$1').replaceAll("'", '"'),
    )
    .replaceAll(/\r\n?/g, '\n')
    .trimEnd()
}
