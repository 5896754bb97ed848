import type { Sides } from '../../shared/attacks/network/selector.ts'
import type { Endpoint } from '../faults/fault.ts'

/** How packets that belong to another device are told from those of a device that they pass. */
export type PassingMark =
  | { readonly kind: 'vlan'; readonly id: number; readonly isService: boolean }
  | { readonly kind: 'hardware'; readonly address: string }
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }

export interface Passing {
  readonly device: string
  readonly mark: PassingMark
}

/** What an nft table of ours chooses and spares; everything in it is parsed, nothing is raw text. */
export interface TrafficPlan {
  /** Network devices by name; they exist. */
  readonly devices: readonly string[]
  /** What passes these devices and is met, or spared, at another one. */
  readonly passing?: readonly Passing[]
  /** Blocks and addresses; undefined chooses every address. */
  readonly chosen: readonly string[] | undefined
  readonly spared: readonly string[]
  readonly sparedEndpoints: readonly Endpoint[]
  readonly remotePorts: Sides
  readonly localPorts: Sides
  readonly protocols: Sides
  readonly sparesDhcp: boolean
  /** A local TCP port of ours whose traffic is spared, to compare with; undefined for none. */
  readonly sparedLocalPort: number | undefined
}

/** Seen from this machine: `egress` leaves it, `ingress` comes in. */
export type Direction = 'egress' | 'ingress'

/** One place where packets are looked at, and what happens to those that are chosen. */
export interface Hook {
  readonly direction: Direction
  /** An nft verdict such as `drop` or `fwd to "tb12"`. */
  readonly verdict: string
}

/** `netdev` sees packets at the device; `inet` before they are routed (ingress only). */
export interface RulesetOptions {
  readonly table: string
  readonly family: 'netdev' | 'inet'
  readonly hooks: readonly Hook[]
  /** Smaller is earlier. */
  readonly priority: number
  /** The rules hold for this long unless they are refreshed. */
  readonly holdMs: number
  /** Further chains as nft text. */
  readonly chains?: readonly string[]
}

const families = [
  { version: 4, name: 'ip', type: 'ipv4_addr', isOf: (block: string) => !block.includes(':') },
  { version: 6, name: 'ip6', type: 'ipv6_addr', isOf: (block: string) => block.includes(':') },
] as const
type Family = (typeof families)[number]

const loopback = 'lo'

/** Where there are ports. */
const ported = '{ tcp, udp, udplite, sctp, dccp }'
const protocolNumbers: Record<string, string> = {
  TCP: 'tcp',
  UDP: 'udp, udplite',
  ICMP: 'icmp, ipv6-icmp',
}
/** Without these an IPv6 link is dead for good: neighbour discovery and the groups that it needs. */
const linkKeeping =
  'icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, nd-redirect, mld-listener-query, mld-listener-report, mld-listener-done, mld2-listener-report } return'

/**
 * The whole table as a script for nft, in one transaction. Every chain begins with a gate: a set of
 * protocols whose elements have a timeout. When nobody refreshes them the kernel forgets them and the
 * rules match nothing any more. ARP never passes the gate.
 */
export function buildRuleset(plan: TrafficPlan, options: RulesetOptions): string {
  const { table, family, hooks } = options
  const bases = hooks.flatMap((hook) => baseChains(plan, options, hook.direction))
  const looped = loopHook(plan, options)
  return `table ${family} ${table} {
${gateSet(options.holdMs)}
${families.flatMap((ip) => addressSets(plan, ip)).join('\n')}
${hooks.map(({ direction }) => `  counter ${direction} { }`).join('\n')}
${(options.chains ?? []).join('\n')}
${hooks.map((hook) => ruleChain(plan, hook.direction, [hook], hook)).join('\n')}
${looped ? ruleChain(plan, 'loop', hooks, looped) : ''}
${bases.join('\n')}
}
`
}

/** Holds the rules for that much longer. In one transaction: plain `add` would not prolong them. */
export function refreshScript(family: string, table: string, holdMs: number): string {
  return `delete element ${family} ${table} live { ip, ip6 }
add element ${family} ${table} live { ${gateElements(holdMs)} }
list counters table ${family} ${table}
`
}

/** The same also when they have expired meanwhile, which `delete` would refuse. */
export function renewScript(family: string, table: string, holdMs: number): string {
  return `flush set ${family} ${table} live
add element ${family} ${table} live { ${gateElements(holdMs)} }
`
}

/** Chooses or spares further addresses, for names that have got new ones. */
export function addScript(
  family: string,
  table: string,
  what: 'chosen' | 'spared',
  addresses: readonly string[],
): string {
  return families
    .flatMap((ip) => {
      const own = addresses.filter(ip.isOf)
      const set = `${family} ${table} ${what}${ip.version}`
      return own.length > 0 ? [`add element ${set} { ${own.join(', ')} }`] : []
    })
    .join('\n')
}

/** Deletes a table, or nothing when it is not there: nft 1.0 has no other way to say so. */
export function deleteScript(family: string, table: string): string {
  return `add table ${family} ${table}\ndelete table ${family} ${table}\n`
}

function gateSet(holdMs: number): string {
  return `  set live { type ether_type; flags timeout; elements = { ${gateElements(holdMs)} }; }`
}

function gateElements(holdMs: number): string {
  const timeout = `timeout ${Math.max(1, Math.round(holdMs))}ms`
  return `ip ${timeout}, ip6 ${timeout}`
}

function addressSets({ chosen = [], spared }: TrafficPlan, ip: Family): string[] {
  const set = (name: string, blocks: readonly string[]) => {
    const own = blocks.filter(ip.isOf)
    const elements = own.length > 0 ? ` elements = { ${own.join(', ')} };` : ''
    return `  set ${name}${ip.version} { type ${ip.type}; flags interval; auto-merge;${elements} }`
  }
  return [set('chosen', chosen), set('spared', spared)]
}

function baseChains(plan: TrafficPlan, options: RulesetOptions, direction: Direction): string[] {
  const { family, priority } = options
  if (family === 'inet')
    return [
      `  chain base_${direction} {
    type filter hook prerouting priority ${priority}; policy accept;
    iifname { ${plan.devices.map(quote).join(', ')} } jump ${direction}
  }`,
    ]
  const looped = loopHook(plan, options)
  const isLooped = (device: string) => looped !== undefined && device === loopback
  return plan.devices
    .filter((device) => !isLooped(device) || direction === looped?.direction)
    .map(
      (device, index) => `  chain base_${direction}_${index} {
    type filter hook ${direction} device ${quote(device)} priority ${priority}; policy accept;
${passingRules(plan, device, direction)
  .map((rule) => `    ${rule}\n`)
  .join('')}    jump ${isLooped(device) ? 'loop' : direction}
  }`,
    )
}

/** Of tags that the hardware adds and takes off, too. Not tag 0, which only says a priority. */
function passingRules(
  { passing = [] }: TrafficPlan,
  device: string,
  direction: Direction,
): string[] {
  const own = direction === 'egress' ? 'saddr' : 'daddr'
  return passing
    .filter((one) => one.device === device)
    .flatMap(({ mark }) => {
      if (mark.kind === 'vlan')
        return `${mark.isService ? 'ether type 8021ad ' : ''}vlan id ${mark.id} return`
      if (mark.kind === 'hardware') return `ether ${own} ${mark.address} return`
      return families.flatMap(({ name, isOf }) => {
        const addresses = mark.addresses.filter(isOf)
        return addresses.length > 0 ? [`${name} ${own} { ${addresses.join(', ')} } return`] : []
      })
    })
}

/**
 * Over loopback a packet leaves and comes in, and either of its ends may be the far one. What is lost
 * when it leaves never comes in, so it is judged there, from both ends; a delay has one hook anyway.
 */
function loopHook({ devices }: TrafficPlan, { hooks }: RulesetOptions): Hook | undefined {
  if (hooks.length < 2 || !devices.includes(loopback)) return undefined
  return hooks.find(({ direction }) => direction === 'egress')
}

/** Judges packets as seen at these hooks; what is chosen is counted and meets the verdict of one. */
function ruleChain(
  plan: TrafficPlan,
  name: string,
  views: readonly Hook[],
  { direction: counter, verdict }: Hook,
): string {
  const action = `counter name ${counter} ${verdict}`
  const rules = [
    'meta protocol != @live return',
    linkKeeping,
    ...views.flatMap(({ direction }) => sparingRules(plan, direction)),
    ...views.flatMap(({ direction }) => choosingRules(plan, direction, action)),
  ]
  return `  chain ${name} {\n${rules.map((rule) => `    ${rule}`).join('\n')}\n  }`
}

/** The words for the far and the near end of a packet that goes in this direction. */
function ends(direction: Direction) {
  return direction === 'egress'
    ? { remote: 'daddr', remotePort: 'dport', localPort: 'sport' }
    : { remote: 'saddr', remotePort: 'sport', localPort: 'dport' }
}

/** What is spared, first: exclusions win. */
function sparingRules(plan: TrafficPlan, direction: Direction): string[] {
  const { remote, remotePort, localPort } = ends(direction)
  const { protocols, remotePorts, localPorts, sparedLocalPort } = plan
  const ports = [
    [remotePort, remotePorts.not],
    [localPort, localPorts.not],
  ] as const
  const hasPorts = [remotePorts, localPorts].some(({ only, not }) => only.length + not.length > 0)
  return [
    // Also when there are none yet: names that are spared may get some.
    ...families.map((ip) => `${ip.name} ${remote} @spared${ip.version} return`),
    ...plan.sparedEndpoints.map(({ address, port }) => {
      const ip = address.includes(':') ? 'ip6' : 'ip'
      return `${ip} ${remote} ${address} tcp ${remotePort} ${port} return`
    }),
    ...(plan.sparesDhcp ? [dhcp(direction)] : []),
    ...(sparedLocalPort === undefined ? [] : [`tcp ${localPort} ${sparedLocalPort} return`]),
    ...(protocols.not.length > 0 ? [`meta l4proto ${protocolSet(protocols.not)} return`] : []),
    // Later fragments have no ports: they go with the first one, which is held or let through.
    ...(hasPorts ? ['ip frag-off & 0x1fff != 0 return', 'frag frag-off != 0 return'] : []),
    ...ports
      .filter(([, not]) => not.length > 0)
      .map(([end, not]) => `meta l4proto ${ported} th ${end} { ${not.join(', ')} } return`),
  ]
}

/** A lease that cannot be renewed would outlive the attack. */
function dhcp(direction: Direction): string {
  const [client, server] = ['{ 68, 546 }', '{ 67, 547 }']
  return direction === 'egress'
    ? `udp sport ${client} udp dport ${server} return`
    : `udp sport ${server} udp dport ${client} return`
}

/** What is left is chosen when everything holds that narrows it. */
function choosingRules(plan: TrafficPlan, direction: Direction, action: string): string[] {
  const { remote, remotePort, localPort } = ends(direction)
  const { protocols, remotePorts, localPorts } = plan
  const hasPorts = remotePorts.only.length + localPorts.only.length > 0
  const layers = [
    ...(protocols.only.length > 0 ? [`meta l4proto ${protocolSet(protocols.only)}`] : []),
    ...(hasPorts ? [`meta l4proto ${ported}`] : []),
    ...(remotePorts.only.length > 0 ? [`th ${remotePort} { ${remotePorts.only.join(', ')} }`] : []),
    ...(localPorts.only.length > 0 ? [`th ${localPort} { ${localPorts.only.join(', ')} }`] : []),
  ]
  return families.map((ip) => {
    const address = plan.chosen ? [`${ip.name} ${remote} @chosen${ip.version}`] : []
    return [`meta protocol ${ip.name}`, ...address, ...layers, action].join(' ')
  })
}

function protocolSet(names: readonly string[]): string {
  return `{ ${names.map((name) => protocolNumbers[name] ?? '').join(', ')} }`
}

function quote(device: string): string {
  return `"${device}"`
}
