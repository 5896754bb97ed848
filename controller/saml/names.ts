/** Names of XML that SAML 2.0 and XML Signature are made of. */
export const ns = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
} as const

export const httpRedirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
export const httpPost = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'

export const exclusiveCanonical = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const envelopedSignature = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
export const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'

/** Everything with SHA-1, with a shared key, or that is newer than any library here is left out. */
export const signatureAlgorithms: ReadonlySet<string> = new Set([
  rsaSha256,
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
])

export const digestAlgorithms: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
])

export const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
export const unspecifiedFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'
export const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
export const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'
