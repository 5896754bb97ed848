import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto'
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import { PlainError } from './plain-error.ts'

const timeoutMs = 10_000

/** The name in every controller's certificate, whatever its address is. */
export const controllerName = 'temblor-controller'

/** Nobody we trust answers at the controller's address. */
export class PinError extends PlainError {
  override readonly name = 'PinError'
}

/**
 * Fetches the CA certificate of a controller and checks it against the fingerprint in the join line.
 * Nothing is sent before the check, so that an impostor learns nothing.
 * @returns the CA certificate as PEM
 * @throws PinError when another CA answers, Error when nobody does
 */
export async function fetchPinnedCa(address: string, caSha256: string): Promise<string> {
  const { hostname, port } = new URL(`tcp://${address}`)
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
    servername: controllerName,
    ALPNProtocols: ['h2'],
    // Checked below, by fingerprint instead of by the public authorities.
    rejectUnauthorized: false,
  })
  try {
    await untilSecure(socket, address)
    const ca = chainOf(socket).find((raw) => isPinned(raw, caSha256))
    if (!ca)
      throw new PinError(
        `The controller at ${address} does not have the certificate authority that the join line names. ` +
          'Nothing was sent to it. Copy the join line again; if that does not help, something between ' +
          'this host and the controller answers in its place.',
      )
    return new X509Certificate(ca).toString()
  } finally {
    socket.destroy()
  }
}

function untilSecure(socket: TLSSocket, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`No controller answers at ${address}: ${why}.`))
    socket.once('secureConnect', () => resolve())
    socket.on('error', (error) => fail(error.message))
    socket.once('close', () => fail('the connection was closed'))
    socket.setTimeout(timeoutMs, () => fail(`nothing came for ${timeoutMs / 1000} s`))
  })
}

/** The certificates that the peer sent, as DER, its own first. */
function chainOf(socket: TLSSocket): Buffer[] {
  const chain: Buffer[] = []
  const seen = new Set<string>()
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  while (certificate?.raw && !seen.has(certificate.fingerprint256)) {
    seen.add(certificate.fingerprint256)
    chain.push(certificate.raw)
    certificate = certificate.issuerCertificate
  }
  return chain
}

function isPinned(raw: Buffer, caSha256: string): boolean {
  const actual = createHash('sha256').update(raw).digest()
  const wanted = Buffer.from(caSha256, 'hex')
  return wanted.length === actual.length && timingSafeEqual(actual, wanted)
}
