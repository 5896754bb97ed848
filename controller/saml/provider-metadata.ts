import { ApiError } from '../../shared/api/errors.ts'
import { SsoRefusal } from '../auth/sso-refusal.ts'
import type { XmlElement } from './libraries.ts'
import { httpRedirect, ns } from './names.ts'
import { attributeOf, childrenNamed, parseXml, textOf } from './xml.ts'

/** What the metadata of an identity provider say, unchecked. */
export interface ProviderMetadata {
  readonly entityId: string
  readonly url: string
  /** Base64, those with which it signs. */
  readonly certificates: readonly string[]
}

/**
 * Reads the metadata of one identity provider. They are parsed as responses are: no document type, no entity.
 * Their signature is not looked at: whoever uploads them says that they are the provider's.
 * @throws ApiError `invalid_body`
 */
export function readProviderMetadata(xml: string): ProviderMetadata {
  const { entity, descriptor } = oneProvider(parsed(xml))
  const services = childrenNamed(descriptor, ns.metadata, 'SingleSignOnService')
  const service = services.find((one) => attributeOf(one, 'Binding') === httpRedirect)
  const certificates = childrenNamed(descriptor, ns.metadata, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => certificateIn(key) ?? [])
  if (!service) refuse('There is no SingleSignOnService for HTTP-Redirect in it.')
  if (certificates.length === 0) refuse('There is no certificate for signing in it.')
  return {
    entityId: attributeOf(entity, 'entityID') ?? refuse('The EntityDescriptor has no entityID.'),
    url: attributeOf(service, 'Location') ?? refuse('The SingleSignOnService has no Location.'),
    certificates: [...new Set(certificates)],
  }
}

function parsed(xml: string): XmlElement {
  try {
    return parseXml(xml.replace(/^\uFEFF?\s*/, ''))
  } catch (error) {
    if (error instanceof SsoRefusal) return refuse(error.message)
    if (error instanceof RangeError) return refuse('It is nested too deeply.')
    throw error
  }
}

function oneProvider(root: XmlElement): { entity: XmlElement; descriptor: XmlElement } {
  const isOne = root.namespaceURI === ns.metadata && root.localName === 'EntityDescriptor'
  const entities = isOne ? [root] : childrenNamed(root, ns.metadata, 'EntityDescriptor')
  const found = entities.flatMap((entity) =>
    childrenNamed(entity, ns.metadata, 'IDPSSODescriptor').map((descriptor) => ({
      entity,
      descriptor,
    })),
  )
  const [first, ...others] = found
  if (!first) refuse('It describes no identity provider (IDPSSODescriptor).')
  if (others.length > 0) refuse('It describes more than one identity provider.')
  return first
}

/** The first of a chain is what it signs with. */
function certificateIn(key: XmlElement): string | undefined {
  const [certificate] = childrenNamed(key, ns.signature, 'KeyInfo')
    .flatMap((info) => childrenNamed(info, ns.signature, 'X509Data'))
    .flatMap((data) => childrenNamed(data, ns.signature, 'X509Certificate'))
  return certificate && textOf(certificate)?.replaceAll(/\s/g, '')
}

function refuse(reason: string): never {
  throw new ApiError(
    'invalid_body',
    `metadata are not those of an identity provider: ${reason} Allowed: SAML 2.0 metadata of one.`,
    { details: { field: 'metadata', value: reason } },
  )
}
