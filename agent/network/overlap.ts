import {
  contains,
  overlaps,
  parseBlock,
  type AddressBlock,
} from '../../shared/attacks/network/address.ts'
import { parsePortRange } from '../../shared/attacks/network/port-range.ts'
import type { Sides } from '../../shared/attacks/network/selector.ts'
import type { TrafficPlan } from './ruleset.ts'

/** Whether one packet could be chosen by both. What cannot be told apart overlaps. */
export function plansOverlap(a: TrafficPlan, b: TrafficPlan): boolean {
  if (!a.devices.some((device) => b.devices.includes(device))) return false
  return !(
    addressesApart(a, b) ||
    addressesApart(b, a) ||
    portsApart(a.remotePorts, b.remotePorts) ||
    portsApart(a.localPorts, b.localPorts) ||
    protocolsApart(a, b)
  )
}

/** Whether nothing that `a` chooses is chosen by `b`. */
function addressesApart(a: TrafficPlan, b: TrafficPlan): boolean {
  if (!a.chosen) return false
  const spared = parseAll(b.spared)
  const chosen = b.chosen && parseAll(b.chosen)
  return parseAll(a.chosen).every(
    (block) =>
      spared.some((other) => contains(other, block)) ||
      (chosen !== undefined && !chosen.some((other) => overlaps(other, block))),
  )
}

function portsApart(a: Sides, b: Sides): boolean {
  return oneWay(a, b) || oneWay(b, a)
}

function oneWay(a: Sides, b: Sides): boolean {
  if (a.only.length === 0) return false
  const [spared, chosen] = [b.not.map(parsePortRange), b.only.map(parsePortRange)]
  return a.only.map(parsePortRange).every(({ from, to }) => {
    if (spared.some((other) => other.from <= from && to <= other.to)) return true
    return chosen.length > 0 && !chosen.some((other) => other.from <= to && from <= other.to)
  })
}

function protocolsApart(a: TrafficPlan, b: TrafficPlan): boolean {
  return !chosenProtocols(a).some((name) => chosenProtocols(b).includes(name))
}

function chosenProtocols({ protocols, remotePorts, localPorts }: TrafficPlan): string[] {
  const { only, not } = protocols
  const all = only.length > 0 ? only : ['TCP', 'UDP', 'ICMP', 'other']
  const hasPorts = remotePorts.only.length + localPorts.only.length > 0
  return all.filter((name) => !not.includes(name) && !(hasPorts && name === 'ICMP'))
}

function parseAll(texts: readonly string[]): AddressBlock[] {
  return texts.map((text) => parseBlock(text)).filter((block) => block !== undefined)
}
