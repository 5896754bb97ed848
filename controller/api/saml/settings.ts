import { randomUUID, X509Certificate } from 'node:crypto'
import type { BodyOf } from '../../../shared/api/route.ts'
import {
  certificateLimit,
  type SamlIdpMetadata,
  type setSamlProps,
} from '../../../shared/api/saml.ts'
import { timestamp } from '../../../shared/api/timestamp.ts'
import { readProviderUrl } from '../../auth/provider-settings.ts'
import { invalid } from '../../records/invalid.ts'
import { readProviderMetadata } from '../../saml/provider-metadata.ts'
import { fingerprint } from '../../saml/signature.ts'
import { flag } from '../flag.ts'
import type { SamlSettings, SignInSettings } from '../../store/sign-in-settings.ts'

type Given = BodyOf<typeof setSamlProps>

/**
 * The settings with the provider that is given. Who has proven it stays proven while the same provider still
 * has the certificate that it was proven with, so that certificates can roll over.
 * @throws ApiError `invalid_body` naming the field
 */
export function withProvider(
  now: SignInSettings,
  given: Given,
  ownEntityId: string,
): SignInSettings {
  const certificates = readCertificates(given.certificate)
  const entityId = readEntityId(given.entityId, ownEntityId)
  const url = readProviderUrl('idpUrl', given.idpUrl)
  const isSame = now.saml?.entityId === entityId && now.saml.url === url
  const kept = new Set(certificates.map(fingerprint))
  const saml: SamlSettings = {
    entityId,
    url,
    certificates,
    idpInitiated: flag(given.idpInitiated) ?? now.saml?.idpInitiated ?? false,
    version: randomUUID(),
    proofs: isSame ? now.saml.proofs.filter(({ certificate }) => kept.has(certificate)) : [],
  }
  const { samlForced, claimsRequired } = now.preferences
  return {
    ...now,
    saml,
    preferences: {
      ...now.preferences,
      samlEnabled: flag(given.enabled) ?? false,
      samlForced: flag(given.forced) ?? samlForced,
      claimsRequired: flag(given.claimsForced) ?? claimsRequired,
    },
  }
}

/**
 * What metadata of a provider say, in the form in which it is set. Nothing is.
 * @throws ApiError `invalid_body`
 */
export function readIdpMetadata(metadata: string, ownEntityId: string): SamlIdpMetadata {
  const said = readProviderMetadata(metadata)
  const certificates = readCertificates(said.certificates.map(asPem).join('\n'))
  return {
    entityId: readEntityId(said.entityId, ownEntityId),
    idpUrl: readProviderUrl('idpUrl', said.url),
    certificate: certificates.join('\n'),
    certificates: certificates.map((pem) => {
      const { subject, validFromDate, validToDate } = new X509Certificate(pem)
      return {
        sha256: fingerprint(pem),
        subject,
        notBefore: timestamp(validFromDate.getTime()),
        notAfter: timestamp(validToDate.getTime()),
      }
    }),
  }
}

function readEntityId(text: string, own: string): string {
  const entityId = text.trim()
  if (entityId === own)
    invalid('entityId', entityId, 'the entity id of the identity provider, not of this service')
  if (entityId === '' || /[\s\p{Cc}]/u.test(entityId))
    invalid('entityId', text, 'a name without blanks, usually an address')
  return entityId
}

/** The certificates as PEM; one may come as bare base64, as metadata have it. */
function readCertificates(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  const parts = blocks ?? [asPem(text)]
  const pems = [...new Set(parts.map(toPem))]
  if (pems.length > certificateLimit)
    invalid('certificate', `${pems.length} certificates`, `at most ${certificateLimit}`)
  return pems
}

function asPem(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----`
}

function toPem(block: string): string {
  const body = block.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  const certificate = parsed(body)
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate?.publicKey ?? {}
  if (!certificate || asymmetricKeyType !== 'rsa')
    invalid('certificate', body, 'X.509 certificates of RSA keys, as PEM')
  if ((asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    invalid('certificate', body, 'certificates of RSA keys with 2048 bits or more')
  return certificate.toString().trim()
}

function parsed(base64: string): X509Certificate | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}
