import { createHash, X509Certificate } from 'node:crypto'
import { newVerifier, type XmlElement } from './libraries.ts'
import { ns } from './names.ts'
import { SamlRefusal } from './refusal.ts'
import type { ResponseForm } from './structure.ts'
import { childrenNamed, isNamed, parseXml } from './xml.ts'

/** What a provider has signed. */
export interface Signed {
  /** Parsed from the very text that was signed: nothing else is ever read of the message. */
  readonly assertion: XmlElement
  /** SHA-256 of the certificate that the signatures verify with. */
  readonly certificate: string
}

/**
 * Verifies every signature there is with the certificates of the settings; a certificate in the message
 * counts for nothing.
 * @throws SamlRefusal `signature`
 */
export function verifySignatures(
  text: string,
  form: ResponseForm,
  certificates: readonly string[],
): Signed {
  const { responseSignature, assertionSignature } = form
  const [ofResponse, ofAssertion] = [responseSignature, assertionSignature].map((signature) =>
    signature ? verifyOne(text, signature, certificates) : undefined,
  )
  const verified = ofAssertion ?? ofResponse
  if (!verified) throw new SamlRefusal('signature', 'Nothing is signed.')
  const root = parseXml(verified.text)
  const assertion = ofAssertion ? root : childrenNamed(root, ns.assertion, 'Assertion')[0]
  if (!assertion || !isNamed(assertion, ns.assertion, 'Assertion'))
    throw new SamlRefusal('signature', 'What is signed holds no assertion.')
  return { assertion, certificate: verified.certificate }
}

function verifyOne(text: string, signature: XmlElement, certificates: readonly string[]) {
  // Canonical forms and digests are dear: only who has a key of the provider is worth them, and once.
  const pem = signerOf(signature, certificates)
  const signed = pem && signedText(text, signature, pem)
  if (signed) return { text: signed, certificate: fingerprint(pem) }
  throw new SamlRefusal(
    'signature',
    pem
      ? 'What is signed was changed afterwards: its digest is another one.'
      : `A signature does not verify with ${certificates.length === 1 ? 'the certificate' : `any of the ${certificates.length} certificates`} of the settings.`,
  )
}

/** The certificate whose key made the signature value; what that is of remains to be seen. */
function signerOf(signature: XmlElement, certificates: readonly string[]): string | undefined {
  const verifier = newVerifier({ getCertFromKeyInfo: () => null })
  try {
    verifier.loadSignature(signature)
    const info = verifier.getCanonSignedInfoXml(signature.ownerDocument)
    const { signatureAlgorithm, signatureValue } = verifier
    const algorithm = verifier.findSignatureAlgorithm(signatureAlgorithm)
    return certificates.find((pem) => algorithm.verifySignature(info, pem, signatureValue))
  } catch {
    return undefined
  }
}

/** The canonical text that the signature is of; undefined when it is not by this certificate. */
function signedText(text: string, signature: XmlElement, pem: string): string | undefined {
  const verifier = newVerifier({ publicCert: pem, getCertFromKeyInfo: () => null })
  try {
    verifier.loadSignature(signature)
    if (!verifier.checkSignature(text)) return undefined
  } catch {
    return undefined
  }
  const [signed, ...others] = verifier.getSignedReferences()
  return others.length === 0 ? signed : undefined
}

/** What a certificate is known by. */
export function fingerprint(pem: string): string {
  return createHash('sha256').update(new X509Certificate(pem).raw).digest('hex')
}
