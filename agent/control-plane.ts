import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Endpoint } from './faults/fault.ts'
import { readCredentials } from './identity.ts'

/**
 * Every address under which this agent's controller can be reached now; none for an agent that has
 * not joined. The name is looked up each time: an address that changes must be spared too.
 */
export async function findControlPlane(stateDir: string): Promise<Endpoint[]> {
  const address = readCredentials(stateDir)?.address
  if (address === undefined) return []
  const { hostname, port } = new URL(`https://${address}`)
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = isIP(host) ? [{ address: host }] : await lookup(host, { all: true })
  return found.map((one) => ({ address: one.address, port: Number(port || 443) }))
}
