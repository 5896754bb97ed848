import { contains, formatBlock, parseBlock } from '../../shared/attacks/network/address.ts'
import { parsePortRange } from '../../shared/attacks/network/port-range.ts'
import type { Endpoint } from '../faults/fault.ts'
import { readProc } from '../host/processes.ts'
import { deviceTo } from './devices.ts'
import { runIn, type NamespaceRef } from './namespace.ts'
import type { TrafficPlan } from './ruleset.ts'

const maximumPeers = 4
/** A busy host talks to thousands: of so many it is asked where packets to them leave. */
const maximumAsked = 64
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
  const known = await reached(plan, namespace, peersToProbe(plan, readPeers(namespace.pid)))
  if (known.length > 0) return known
  const found = (await gateways(plan, namespace)).filter((peer) => isChosen(plan, peer))
  return found.slice(0, maximumPeers)
}

/**
 * Whom the plan chooses of the addresses that it names and of those that the target talks to, by the
 * port that is probed, each once: most connections differ in a port that is not.
 */
export function peersToProbe(plan: TrafficPlan, talking: readonly Endpoint[]): Endpoint[] {
  const named = (plan.chosen ?? [])
    .filter((block) => !block.includes('/'))
    .map((address) => ({ address, port: portTo(plan) }))
  const others = talking.map(({ address, port }) => ({ address, port: portTo(plan, port) }))
  const peers = [...named, ...others].map((peer) => [`${peer.address} ${peer.port}`, peer] as const)
  return [...new Map(peers).values()].filter((peer) => isChosen(plan, peer))
}

/**
 * The first of them to whom packets leave by a device of the plan: only those are delayed. The host
 * talks to itself over loopback, to containers over their bridge, to others through tunnels.
 */
async function reached(
  { devices }: TrafficPlan,
  namespace: NamespaceRef,
  peers: readonly Endpoint[],
): Promise<Endpoint[]> {
  const ways = new Map<string, string | undefined>()
  const found: Endpoint[] = []
  for (const peer of peers) {
    if (found.length === maximumPeers || ways.size === maximumAsked) break
    if (!ways.has(peer.address)) ways.set(peer.address, await deviceTo(namespace, peer.address))
    if (devices.includes(ways.get(peer.address) ?? '')) found.push(peer)
  }
  return found
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
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === established)
    .map((fields) => readEndpoint(fields[2] ?? ''))
    .filter(({ address }) => !/^(127\.|::1$|::ffff:127\.)/.test(address))
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
