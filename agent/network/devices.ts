import type { Sides } from '../../shared/attacks/network/selector.ts'
import { FaultError } from '../faults/fault.ts'
import { ToolError } from '../host/tool.ts'
import { runIn, type NamespaceRef } from './namespace.ts'

/** What `ip -j -d link` says about a device, as far as it matters here. */
interface Link {
  readonly ifname: string
  readonly flags: readonly string[]
  readonly linkinfo?: { readonly info_kind?: string }
}

interface Route {
  readonly dst: string
  readonly dev?: string
  readonly type?: string
}

/** Packets that pass these pass another device as well: a delay here would count twice. */
const stacked = new Set(['vxlan', 'wireguard', 'gre', 'gretap', 'ipip', 'sit', 'geneve', 'tun'])

/**
 * The devices on which the traffic is met, each packet once: the named ones, else those to which the
 * routes of the chosen addresses lead, else all that have a route. Loopback only when it is named.
 * @throws FaultError naming the flag when there is none
 */
export async function chooseDevices(
  namespace: NamespaceRef,
  devices: Sides,
  addresses: readonly string[],
): Promise<string[]> {
  const links = await readLinks(namespace)
  const names = new Set(links.map(({ ifname }) => ifname))
  const unknown = [...devices.only, ...devices.not].find((name) => !names.has(name))
  if (unknown !== undefined)
    throw new FaultError(
      'unsupported',
      `-d/--device: there is no network device ${unknown}. There are: ${[...names].join(', ')}.`,
    )
  const wanted =
    devices.only.length > 0 ? devices.only : await carrying(namespace, links, addresses)
  const chosen = wanted.filter((name) => !devices.not.includes(name))
  if (chosen.length > 0) return [...new Set(chosen)].sort()
  throw new FaultError(
    'unsupported',
    devices.not.length > 0
      ? `-d/--device spares every network device that carries the traffic (${wanted.join(', ')}).`
      : 'The target has no network device with a route, so there is no traffic to hit.',
  )
}

async function readLinks(namespace: NamespaceRef): Promise<Link[]> {
  return JSON.parse((await runIn(namespace, 'ip', ['-j', '-d', 'link', 'show'])) || '[]') as Link[]
}

async function carrying(
  namespace: NamespaceRef,
  links: readonly Link[],
  addresses: readonly string[],
): Promise<string[]> {
  const found = addresses.length > 0 ? await toAddresses(namespace, addresses) : []
  return found.length > 0 ? found : withRoutes(namespace, links)
}

/** Where packets to these addresses leave; blocks are asked for by their first address. */
async function toAddresses(
  namespace: NamespaceRef,
  addresses: readonly string[],
): Promise<string[]> {
  // A handful is enough: a long list is of one kind, and every device with a route is the fallback.
  const hosts = addresses.slice(0, 64).map((block) => block.split('/')[0] ?? block)
  const isWide =
    addresses.length > hosts.length || addresses.some((block) => /\/([0-9]|1\d)$/.test(block))
  if (isWide) return []
  const found = await Promise.all(hosts.map((host) => deviceTo(namespace, host)))
  const devices = [...new Set(found.filter((name) => name !== undefined))]
  const others = devices.filter((name) => name !== 'lo')
  if (devices.length > 0 && others.length === 0)
    throw new FaultError(
      'unsupported',
      `-i/--ipaddress ${hosts.join(', ')} is reached over loopback, which is hit only with -d lo.`,
    )
  return others
}

async function deviceTo(namespace: NamespaceRef, address: string): Promise<string | undefined> {
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

async function withRoutes(namespace: NamespaceRef, links: readonly Link[]): Promise<string[]> {
  const routes = await Promise.all(
    ['-4', '-6'].map(async (family) => {
      const text = await runIn(namespace, 'ip', ['-j', family, 'route', 'show', 'table', 'main'])
      return JSON.parse(text || '[]') as Route[]
    }),
  )
  const all = routes.flat()
  const routed = new Set(all.map(({ dev }) => dev))
  const byDefault = new Set(all.filter(({ dst }) => dst === 'default').map(({ dev }) => dev))
  return links
    .filter(({ ifname, flags }) => routed.has(ifname) && flags.includes('UP'))
    .filter(({ ifname, flags, linkinfo }) => {
      const kind = linkinfo?.info_kind ?? ''
      // A bridge of containers is passed on the way to the wire; one with the default route is the wire.
      const isInner = kind === 'bridge' && !byDefault.has(ifname)
      return !flags.includes('LOOPBACK') && !stacked.has(kind) && !isInner
    })
    .map(({ ifname }) => ifname)
}
