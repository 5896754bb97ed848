/** What a host needs to join a team: `temblor://<host>:<port>/<team id>?secret=…&ca=<sha-256 hex>`. */
export interface JoinLine {
  /** `host:port` of the controller's agent port. */
  readonly address: string
  readonly teamId: string
  readonly secret: string
  /** SHA-256 of the controller's CA certificate (DER), hex. The agent checks it before it speaks. */
  readonly caSha256: string
}

/** Writes the line that adds a host. It holds a secret. */
export function formatJoinLine(join: JoinLine): string {
  const query = new URLSearchParams({ secret: join.secret, ca: join.caSha256 })
  return `temblor://${join.address}/${join.teamId}?${query.toString()}`
}

/**
 * Reads the line that adds a host.
 * @throws Error saying which part is missing; the secret is never repeated
 */
export function parseJoinLine(line: string): JoinLine {
  const url = URL.parse(line.trim())
  if (!url || url.protocol !== 'temblor:')
    throw new Error('The join line must start with temblor://. Copy it whole from the controller.')
  const teamId = url.pathname.slice(1)
  const secret = url.searchParams.get('secret') ?? ''
  const caSha256 = (url.searchParams.get('ca') ?? '').toLowerCase()
  if (!url.hostname || !url.port) throw new Error('The join line has no host:port.')
  if (!/^[0-9a-f-]{36}$/.test(teamId)) throw new Error('The join line has no team id.')
  if (!secret) throw new Error('The join line has no secret.')
  if (!/^[0-9a-f]{64}$/.test(caSha256))
    throw new Error('The join line has no SHA-256 of the controller CA (64 hex digits after ca=).')
  return { address: `${url.hostname}:${url.port}`, teamId, secret, caSha256 }
}
