import { contains, overlaps, parseBlock } from '../../shared/attacks/network/address.ts'
import type { Sides } from '../../shared/attacks/network/selector.ts'
import { FaultError } from '../faults/fault.ts'
import { ToolError } from '../host/tool.ts'
import type { DeviceId } from './device-watch.ts'
import { runIn, type NamespaceRef } from './namespace.ts'
import { findPassing, isRiding, type Link } from './riding-devices.ts'
import type { Passing } from './ruleset.ts'

/** The devices on which traffic is met. */
export interface ChosenDevices {
  readonly names: readonly string[]
  readonly ids: readonly DeviceId[]
  /** What passes them and belongs to others. */
  readonly passing: readonly Passing[]
}

interface Route {
  readonly dst: string
  readonly dev?: string
  readonly table?: string
  /** Of a route over several devices. */
  readonly nexthops?: readonly { readonly dev?: string }[]
}

/** Packets that pass these pass another device as well: a delay here would count twice. */
const stackedKinds = 'vxlan wireguard gre gretap ipip sit geneve tun vrf'
const stacked = new Set(stackedKinds.split(' '))
/** Their packets are met at the device that they are part of. */
const parts = new Set(['bridge', 'bond', 'team'])
/** So many single addresses are asked for one by one, as packets to them would be routed. */
const maximumAsked = 64

/**
 * The devices on which the traffic is met, each packet once: the named ones, else those to which the
 * routes of the chosen addresses lead, else all that have a route. Names may get other addresses
 * while the attack runs, so for them all are added. Loopback only when it is named.
 * @throws FaultError naming the flag when there is none
 */
export async function chooseDevices(
  namespace: NamespaceRef,
  devices: Sides,
  { addresses, hasNames }: { addresses: readonly string[]; hasNames: boolean },
): Promise<ChosenDevices> {
  const links = await readLinks(namespace)
  const names = new Set(links.map(({ ifname }) => ifname))
  const unknown = [...devices.only, ...devices.not].find((name) => !names.has(name))
  if (unknown !== undefined)
    throw new FaultError(
      'unsupported',
      `-d/--device: there is no network device ${unknown}. There are: ${[...names].join(', ')}.`,
    )
  const wanted =
    devices.only.length > 0 ? devices.only : await carrying(namespace, links, addresses, hasNames)
  const chosen = wanted.filter((name) => !devices.not.includes(name))
  if (chosen.length > 0) {
    const found = [...new Set(chosen)].sort().map(speakable)
    const ids = links
      .filter(({ ifname }) => found.includes(ifname))
      .map(({ ifname, ifindex }) => ({ name: ifname, index: ifindex }))
    return { names: found, ids, passing: await passingOf(namespace, links, found, devices) }
  }
  throw new FaultError(
    'unsupported',
    devices.not.length > 0
      ? `-d/--device spares every network device that carries the traffic (${wanted.join(', ')}).`
      : 'The target has no network device with a route, so there is no traffic to hit.',
  )
}

/** In a container anybody may have named the device; nft has no way to write these. */
function speakable(name: string): string {
  if (!/["*\\]/.test(name)) return name
  throw new FaultError(
    'unsupported',
    `The network device ${JSON.stringify(name)} carries the traffic, and rules cannot be made for such a name.`,
  )
}

async function readLinks(namespace: NamespaceRef): Promise<Link[]> {
  const text = await runIn(namespace, 'ip', ['-j', '-d', 'address', 'show'])
  return JSON.parse(text || '[]') as Link[]
}

async function passingOf(
  namespace: NamespaceRef,
  links: readonly Link[],
  chosen: readonly string[],
  devices: Sides,
): Promise<Passing[]> {
  if (!links.some(isRiding)) return []
  const routed = withRoutes(wholeOf(links), await readRoutes(namespace))
  return findPassing(links, chosen, new Set([...chosen, ...devices.not, ...routed]))
}

function wholeOf(links: readonly Link[]): Link[] {
  return links.filter(({ linkinfo }) => !parts.has(linkinfo?.info_slave_kind ?? ''))
}

async function carrying(
  namespace: NamespaceRef,
  links: readonly Link[],
  addresses: readonly string[],
  hasNames: boolean,
): Promise<string[]> {
  const routes = await readRoutes(namespace)
  const whole = wholeOf(links)
  const found = await toAddresses(namespace, addresses, routes)
  const known = found.filter((name) => whole.some(({ ifname }) => ifname === name))
  if (known.length > 0 && !hasNames) return known
  return [...known, ...withRoutes(whole, routes)]
}

/** Where packets to these addresses leave. */
async function toAddresses(
  namespace: NamespaceRef,
  addresses: readonly string[],
  routes: readonly Route[],
): Promise<string[]> {
  const single = addresses.filter((block) => !block.includes('/')).slice(0, maximumAsked)
  const asked = await Promise.all(single.map((host) => deviceTo(namespace, host)))
  const blocks = addresses.filter((block) => !single.includes(block))
  const devices = [
    ...asked.filter((name) => name !== undefined),
    ...blocks.flatMap((block) => devicesTo(block, routes)),
  ]
  const others = devices.filter((name) => name !== 'lo')
  if (devices.length > 0 && others.length === 0)
    throw new FaultError(
      'unsupported',
      `-d/--device: ${addresses.join(', ')} is reached over loopback, which is hit only with -d lo.`,
    )
  return others
}

/** The device by which packets to this address leave now; undefined when there is no route. */
export async function deviceTo(
  namespace: NamespaceRef,
  address: string,
): Promise<string | undefined> {
  try {
    const family = address.includes(':') ? '-6' : '-4'
    const text = await runIn(namespace, 'ip', ['-j', family, 'route', 'get', address])
    return (JSON.parse(text || '[]') as Route[])[0]?.dev
  } catch (error) {
    // No route: nothing goes there, which is no reason to refuse.
    if (error instanceof ToolError) return undefined
    throw error
  }
}

/** A block may lie behind several devices: those of every route into it, and of the one around it. */
function devicesTo(text: string, routes: readonly Route[]): string[] {
  const block = parseBlock(text)
  if (!block) return []
  const known = routes.flatMap((route) => {
    const to = parseBlock(route.dst)
    return to && overlaps(to, block) ? [{ route, to }] : []
  })
  const isHidden = ({ route, to }: (typeof known)[number]) =>
    contains(to, block) &&
    known.some(
      (other) =>
        other.route.table === route.table &&
        other.to.prefixLength > to.prefixLength &&
        contains(other.to, block),
    )
  return known.filter((one) => !isHidden(one)).flatMap(({ route }) => devicesOf(route))
}

/** Every route but those to the host itself; `default` is spelled out. */
async function readRoutes(namespace: NamespaceRef): Promise<Route[]> {
  const routes = await Promise.all(
    ['-4', '-6'].map(async (family) => {
      const text = await runIn(namespace, 'ip', ['-j', family, 'route', 'show', 'table', 'all'])
      const everything = family === '-4' ? '0.0.0.0/0' : '::/0'
      return (JSON.parse(text || '[]') as Route[]).map((route) => ({
        ...route,
        dst: route.dst === 'default' ? everything : route.dst,
      }))
    }),
  )
  return routes.flat().filter(({ table }) => table !== 'local')
}

function devicesOf({ dev, nexthops = [] }: Route): string[] {
  return [dev, ...nexthops.map((hop) => hop.dev)].filter((name) => name !== undefined)
}

function withRoutes(links: readonly Link[], routes: readonly Route[]): string[] {
  const routed = new Set(routes.flatMap(devicesOf))
  const byDefault = new Set(routes.filter(({ dst }) => dst.endsWith('/0')).flatMap(devicesOf))
  return links
    .filter(({ ifname, flags }) => routed.has(ifname) && flags.includes('UP'))
    .filter(({ ifname, flags, linkinfo }) => {
      const kind = linkinfo?.info_kind ?? ''
      // A bridge of containers is passed on the way to the wire; one with the default route is the wire.
      const isInner =
        (kind === 'bridge' && !byDefault.has(ifname)) ||
        (kind === 'veth' && leadsToHostsOnly(ifname, routes))
      return !flags.includes('LOOPBACK') && !stacked.has(kind) && !isInner
    })
    .map(({ ifname }) => ifname)
}

/** Whether each route over it is to a single address: so Calico and others connect a pod. */
function leadsToHostsOnly(device: string, routes: readonly Route[]): boolean {
  const over = routes.filter(
    (route) => devicesOf(route).includes(device) && !route.dst.startsWith('fe80:'),
  )
  return over.length > 0 && over.every(({ dst }) => !dst.includes('/'))
}
