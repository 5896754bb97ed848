import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { FaultError, type Endpoint } from './faults/fault.ts'
import { readCredentials } from './identity.ts'

/**
 * Every address under which this agent's controller can be reached now; none for an agent that has
 * not joined. The name is looked up each time: an address that changes must be spared too.
 * @throws FaultError when the name has no address now
 */
export async function findControlPlane(stateDir: string): Promise<Endpoint[]> {
  const address = readCredentials(stateDir)?.address
  if (address === undefined) return []
  const { hostname, port } = new URL(`https://${address}`)
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = isIP(host) ? [{ address: host }] : await lookUp(host)
  return found.map((one) => ({ address: one.address, port: Number(port || 443) }))
}

async function lookUp(host: string): Promise<{ address: string }[]> {
  try {
    return await lookup(host, { all: true })
  } catch (error) {
    throw new FaultError(
      'unsupported',
      `The controller's name ${host} cannot be looked up (${(error as NodeJS.ErrnoException).code}), so nobody knows what to spare. -E/--no-derived-exclusion-rules with a -h/--hostname of your own spares nothing of it.`,
    )
  }
}
