import type { SigningKey } from './saml-idp.ts'

const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const post = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'

/** What the metadata of a provider say besides its key. */
export interface MetadataOptions {
  readonly entityId?: string
  readonly url?: string
  /** Signing keys besides the first. */
  readonly more?: readonly SigningKey[]
  readonly binding?: string
}

/** The descriptor of an identity provider, as Keycloak writes it. */
export function entityOf(key: SigningKey, given: MetadataOptions = {}): string {
  const { entityId = 'https://idp.example', url = 'https://idp.example/sso' } = given
  const keys = [key, ...(given.more ?? [])].map((one) => keyDescriptor(one, ' use="signing"'))
  return (
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}">` +
    '<md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">' +
    keys.join('\n') +
    keyDescriptor(key, ' use="encryption"') +
    `<md:SingleLogoutService Binding="${redirect}" Location="${url}/logout"/>` +
    `<md:SingleSignOnService Binding="${post}" Location="${url}/post"/>` +
    `<md:SingleSignOnService Binding="${given.binding ?? redirect}" Location="${url}"/>` +
    '</md:IDPSSODescriptor></md:EntityDescriptor>'
  )
}

/** The same as Entra ID writes it: with a byte order mark, a declaration, a role of another protocol. */
export function metadataOf(key: SigningKey, given: MetadataOptions = {}): string {
  const other =
    '<RoleDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" protocolSupportEnumeration="x"></RoleDescriptor>'
  const entity = entityOf(key, given).replace('<md:IDPSSO', () => `${other}<md:IDPSSO`)
  return `\uFEFF<?xml version="1.0" encoding="utf-8"?>\n${entity}`
}

function keyDescriptor({ certificate }: SigningKey, use: string): string {
  const lines = certificate.replaceAll(/-----[A-Z ]+-----/g, '')
  return `<md:KeyDescriptor${use}><ds:KeyInfo><ds:KeyName>x</ds:KeyName><ds:X509Data><ds:X509Certificate>${lines}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
}
