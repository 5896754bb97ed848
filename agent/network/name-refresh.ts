import type { Gate } from './gate.ts'
import { lookUpAll, type TargetTraffic } from './target-traffic.ts'

/** As often as this answers of name servers are asked for anew. */
const everyMs = 30_000

/**
 * Keeps the addresses of names current: new ones are added, old ones stay until the end of the attack,
 * because connections to them may live on.
 * @returns what ends it, and every address that was hit
 */
export function followNames(
  traffic: TargetTraffic,
  names: readonly string[],
  gate: Gate,
): { close(): void; addresses: ReadonlySet<string> } {
  const addresses = new Set(names.length > 0 ? traffic.plan.chosen : [])
  const { observer, root } = traffic
  if (!observer || names.length === 0) return { close: () => undefined, addresses }
  const timer = setInterval(async () => {
    try {
      const found = [...(await lookUpAll(observer, names, root)).values()].flat()
      const fresh = found.filter((address) => !addresses.has(address))
      for (const address of fresh) addresses.add(address)
      if (fresh.length > 0) gate.choose(fresh)
    } catch {
      // A name server that does not answer for a while takes nothing away from what is hit.
    }
  }, everyMs)
  return { close: () => clearInterval(timer), addresses }
}

/** Which addresses names led to; part of the report. */
export function hitNote(addresses: ReadonlySet<string>): string[] {
  return addresses.size > 0 ? [`Addresses hit: ${[...addresses].join(', ')}.`] : []
}
