import { contains, formatBlock, parseBlock } from '../../shared/attacks/network/address.ts'
import { parsePortRange } from '../../shared/attacks/network/port-range.ts'
import type { Endpoint } from '../faults/fault.ts'
import { readProc } from '../host/processes.ts'
import { runIn, type NamespaceRef } from './namespace.ts'
import type { TrafficPlan } from './ruleset.ts'

const maximumPeers = 4
/** Discard: hardly ever open, and a closed port is refused by the kernel, unnoticed by any program. */
const unusedPort = 9
const established = '01'

/**
 * Peers whose traffic the plan chooses and that can be connected to: the single addresses it names,
 * else those that the target talks to now, else its gateway. Empty when TCP is not chosen.
 */
export async function choosePeers(plan: TrafficPlan, namespace: NamespaceRef): Promise<Endpoint[]> {
  const { protocols, localPorts } = plan
  const isTcp =
    (protocols.only.length === 0 || protocols.only.includes('TCP')) &&
    !protocols.not.includes('TCP')
  if (!isTcp || localPorts.only.length > 0) return []
  const talking = readPeers(namespace.pid)
  const named = (plan.chosen ?? [])
    .filter((block) => !block.includes('/'))
    .map((address) => ({ address, port: portTo(plan) }))
  const others = talking.map((peer) => ({ ...peer, port: portTo(plan, peer.port) }))
  const known = [...named, ...others].filter((peer) => isChosen(plan, peer))
  const found = known.length > 0 ? known : await gateways(plan, namespace)
  return found.filter((peer) => isChosen(plan, peer)).slice(0, maximumPeers)
}

/** A port that programs listen on only where the plan leaves no other. */
function portTo(plan: TrafficPlan, talkingTo = unusedPort): number {
  const [wanted] = plan.remotePorts.only
  if (wanted === undefined) return unusedPort
  return includesPort(plan.remotePorts.only, talkingTo) ? talkingTo : parsePortRange(wanted).from
}

function isChosen(plan: TrafficPlan, { address, port }: Endpoint): boolean {
  const peer = parseBlock(address)
  if (!peer) return false
  const isIn = (blocks: readonly string[]) =>
    blocks.some((text) => {
      const block = parseBlock(text)
      return block !== undefined && contains(block, peer)
    })
  const { remotePorts, chosen, spared, sparedEndpoints } = plan
  if (chosen && !isIn(chosen)) return false
  if (isIn(spared) || includesPort(remotePorts.not, port)) return false
  if (sparedEndpoints.some((one) => one.address === address && one.port === port)) return false
  return remotePorts.only.length === 0 || includesPort(remotePorts.only, port)
}

function includesPort(ranges: readonly string[], port: number): boolean {
  return ranges.some((range) => {
    const { from, to } = parsePortRange(range)
    return from <= port && port <= to
  })
}

/** Whom processes of the namespace have a TCP connection with, loopback aside. */
function readPeers(pid: number): Endpoint[] {
  const lines = ['tcp', 'tcp6'].flatMap((name) =>
    (readProc(`${pid}/net/${name}`) ?? '').split('\n').slice(1),
  )
  const peers = lines
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === established)
    .map((fields) => readEndpoint(fields[2] ?? ''))
    .filter(({ address }) => !/^(127\.|::1$|::ffff:127\.)/.test(address))
  return [...new Map(peers.map((peer) => [`${peer.address} ${peer.port}`, peer])).values()]
}

/** As /proc/net/tcp writes it: words of 32 bits in the order of the machine's bytes, then the port. */
export function readEndpoint(text: string): Endpoint {
  const [hex = '', port = ''] = text.split(':')
  const bytes = Buffer.from(hex, 'hex')
  const bits = BigInt(`0x${bytes.swap32().toString('hex') || '0'}`)
  const mapped = hex.length === 32 && bits >> 32n === 0xffffn
  const family = hex.length === 8 || mapped ? 4 : 6
  const address = formatBlock({
    family,
    bits: mapped ? bits & 0xffff_ffffn : bits,
    prefixLength: family === 4 ? 32 : 128,
  })
  return { address, port: Number.parseInt(port, 16) }
}

async function gateways(plan: TrafficPlan, namespace: NamespaceRef): Promise<Endpoint[]> {
  const text = await runIn(namespace, 'ip', ['-j', 'route', 'show', 'default'])
  const routes = JSON.parse(text || '[]') as { gateway?: string; dev?: string }[]
  return routes
    .filter(({ dev = '' }) => plan.devices.includes(dev))
    .flatMap(({ gateway }) => (gateway ? [{ address: gateway, port: portTo(plan) }] : []))
}
