import type { Sides } from '../../shared/attacks/network/selector.ts'
import { nothingSeen } from '../faults/fault.ts'
import type { Gate } from './gate.ts'
import type { Observer } from './observer/observer-process.ts'
import type { TargetTraffic } from './target-traffic.ts'

/** As often as this answers of name servers are asked for anew. */
const refreshEveryMs = 30_000

/**
 * Keeps the addresses of names current, of those that are hit and of those that are spared: new ones
 * are added, old ones stay until the end of the attack, because connections to them may live on.
 * @returns what ends it, and every address that was hit
 */
export function followNames(
  traffic: TargetTraffic,
  names: Sides,
  gate: Pick<Gate, 'add'>,
  everyMs = refreshEveryMs,
): { close(): void; addresses: ReadonlySet<string> } {
  const { observer, plan } = traffic
  const chosen = new Set(names.only.length > 0 ? plan.chosen : [])
  if (!observer) return { close: () => undefined, addresses: chosen }
  const spared = new Set(plan.spared)
  const addFresh = (set: 'chosen' | 'spared', known: Set<string>, found: readonly string[]) => {
    const fresh = found.filter((address) => !known.has(address))
    for (const address of fresh) known.add(address)
    if (fresh.length > 0) gate.add(set, fresh)
  }
  const timer = setInterval(async () => {
    const find = await lookUpAgain(observer, names, traffic.root)
    addFresh('spared', spared, names.not.flatMap(find))
    addFresh('chosen', chosen, names.only.flatMap(find))
  }, everyMs)
  return { close: () => clearInterval(timer), addresses: chosen }
}

/** A name server that does not answer for a while takes nothing away from what is hit or spared. */
async function lookUpAgain(
  observer: Observer,
  { only, not }: Sides,
  root: string,
): Promise<(name: string) => readonly string[]> {
  const found = await observer.lookUp([...only, ...not], root).catch(() => undefined)
  return (name) => {
    const answer = found?.[name]
    return typeof answer === 'object' ? answer : []
  }
}

/** Which addresses names led to, and whether anything was hit at all; part of the report. */
export function trafficNotes(
  addresses: ReadonlySet<string>,
  { sawNothing }: Pick<Gate, 'sawNothing'>,
): string[] {
  return [
    ...(addresses.size > 0 ? [`Addresses hit: ${[...addresses].join(', ')}.`] : []),
    ...(sawNothing ? [nothingSeen] : []),
  ]
}
