import type { Passing, PassingMark } from './ruleset.ts'

/** What `ip -j -d address` says about a device, as far as it matters here. */
export interface Link {
  readonly ifname: string
  readonly ifindex: number
  readonly flags: readonly string[]
  /** Of its hardware. */
  readonly address?: string
  /** The device that it lies on, when that is in the same namespace. */
  readonly link?: string | null
  readonly master?: string
  readonly linkinfo?: {
    readonly info_kind?: string
    readonly info_slave_kind?: string
    readonly info_data?: { readonly protocol?: string; readonly id?: number }
  }
  readonly addr_info?: readonly { readonly local?: string }[]
}

const riding = new Set(['vlan', 'macvlan', 'ipvlan'])

export function isRiding({ link, linkinfo }: Link): boolean {
  return typeof link === 'string' && riding.has(linkinfo?.info_kind ?? '')
}

/**
 * Packets of a VLAN, macvlan or ipvlan device pass the device that it lies on as well, where they are
 * told by their tag or their address. They belong to the upper one, or to the bridge that it is a part
 * of, if that is one of `own`: those that are hit, spared or routed to. Else they are met below.
 */
export function findPassing(
  links: readonly Link[],
  devices: readonly string[],
  own: ReadonlySet<string>,
): Passing[] {
  return devices.flatMap((device) => marksOn(links, device, own).map((mark) => ({ device, mark })))
}

function marksOn(links: readonly Link[], device: string, own: ReadonlySet<string>): PassingMark[] {
  return links
    .filter((link) => link.link === device && isRiding(link))
    .flatMap((rider) => {
      const names = [rider.ifname, ...mastersOf(links, rider)]
      if (names.some((name) => own.has(name))) return markOf(rider)
      // Below a VLAN the addresses are the same; a tag is seen on the first device alone.
      return marksOn(links, rider.ifname, own).filter(({ kind }) => kind !== 'vlan')
    })
}

function mastersOf(links: readonly Link[], { master }: Link): string[] {
  const above = links.find(({ ifname }) => ifname === master)
  return above ? [above.ifname, ...mastersOf(links, above)] : []
}

function markOf({ address, linkinfo, addr_info = [] }: Link): PassingMark[] {
  const { id, protocol } = linkinfo?.info_data ?? {}
  const kind = linkinfo?.info_kind
  if (kind === 'vlan')
    return id === undefined ? [] : [{ kind, id, isService: protocol === '802.1ad' }]
  if (kind === 'macvlan') return address === undefined ? [] : [{ kind: 'hardware', address }]
  const addresses = addr_info.flatMap(({ local }) => local ?? [])
  return addresses.length > 0 ? [{ kind: 'addresses', addresses }] : []
}
