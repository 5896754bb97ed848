import { networkInterfaces } from 'node:os'

/** Where others reach this service. What is written into links comes from here, never from a request. */
export interface Site {
  /** Scheme, host and port of the API and its pages. */
  readonly url: string
  /** `host:port` where agents of other hosts connect. */
  readonly agentAddress: string
}

/** What the addresses follow from. */
export interface SiteSettings {
  readonly listen: string
  readonly grpcListen: string
  /** The API speaks TLS itself. */
  readonly isTls: boolean
  readonly publicUrl?: string | undefined
}

/** The addresses of a service that listens on these ports. */
export function siteOf(
  { listen, grpcListen, isTls, publicUrl }: SiteSettings,
  { httpPort, grpcPort }: { httpPort: number; grpcPort: number },
): Site {
  const localGrpc = localHost(grpcListen)
  const reachable = isAny(grpcListen) ? (firstOutsideAddress() ?? localGrpc) : localGrpc
  const publicHost = publicUrl ? new URL(publicUrl).hostname : reachable
  const ownUrl = `${isTls ? 'https' : 'http'}://${localHost(listen)}:${httpPort}`
  return {
    url: (publicUrl ?? ownUrl).replace(/\/+$/, ''),
    agentAddress: `${publicHost}:${grpcPort}`,
  }
}

/** The host under which this machine itself reaches what listens there. */
export function localHost(listen: string): string {
  if (isAny(listen)) return '127.0.0.1'
  return listen.includes(':') ? `[${listen}]` : listen
}

function isAny(listen: string): boolean {
  return listen === '0.0.0.0' || listen === '::'
}

function firstOutsideAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.find((entry) => entry.family === 'IPv4' && !entry.internal)?.address
}
