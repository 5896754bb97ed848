/**
 * Measures in a guest, with nobody to talk to: takes what is wanted as JSON in its one argument and
 * prints what it has found as JSON. The lab is made inside the guest.
 */
import { measureAccuracy, type AccuracyOptions } from './network-accuracy.ts'
import { measureCarried, type CarriedOptions } from './network-carried.ts'
import { measureInForce, type InForceOptions } from './network-in-force.ts'
import { openLab, type Lab } from './network-lab.ts'
import { byAttack, byBareNetem } from './network-ways.ts'

export type GuestRequest =
  | { readonly inForce: InForceOptions }
  | { readonly accuracy: AccuracyOptions }
  | { readonly carried: CarriedOptions }

async function measure(lab: Lab, request: GuestRequest): Promise<unknown> {
  const agent = await lab.startAgent()
  if ('inForce' in request) return measureInForce(lab, agent, request.inForce)
  const ways = [byAttack(lab, agent), byBareNetem(lab)]
  if ('accuracy' in request) return measureAccuracy(lab, ways, request.accuracy)
  return measureCarried(lab, ways, request.carried)
}

await using lab = await openLab()
const found = await measure(lab, JSON.parse(process.argv[2] ?? '') as GuestRequest)
process.stdout.write(`${JSON.stringify(found)}\n`)
