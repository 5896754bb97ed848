import type { Contradiction, Flag } from '../define.ts'
import { controlPlaneName } from '../items.ts'
import type { ListParam, SwitchParam, Values } from '../params.ts'

const list = (
  item: ListParam['item'],
  title: string,
  description: string,
  standard: readonly string[] = [],
) => ({ type: 'list', item, default: standard, title, description }) satisfies ListParam

/**
 * What chooses the traffic of a network attack. Addresses and hostnames are one set of remote hosts;
 * else flags narrow each other. Exclusions win.
 */
export const selectorParams = {
  addresses: list('address', 'Remote addresses', 'Only traffic with these remote addresses.'),
  devices: list(
    'device',
    'Network devices',
    'Only traffic through these network devices; without it, those that carry it.',
  ),
  hostnames: list(
    'hostname',
    'Remote hosts',
    `Only traffic with these hosts, looked up where the target looks them up. ^${controlPlaneName} is whatever controls the agent.`,
    [`^${controlPlaneName}`],
  ),
  remotePorts: list('port', 'Remote ports', 'Only traffic with these remote ports.', ['^53']),
  localPorts: list('port', 'Local ports', 'Only traffic with these local ports.'),
  protocols: list('protocol', 'Protocols', 'Only traffic of these protocols.'),
  noDerivedExclusions: {
    type: 'boolean',
    default: false,
    title: 'Spare nothing unasked',
    description: 'Spare neither the control plane nor DHCP, unless a flag says so.',
  } satisfies SwitchParam,
} as const

/** The flags of these parameters; attack types spell the one for local ports differently. */
export function selectorFlags(localPorts: Flag): Record<keyof typeof selectorParams, Flag> {
  return {
    addresses: { short: 'i', long: 'ipaddress' },
    devices: { short: 'd', long: 'device' },
    hostnames: { short: 'h', long: 'hostname' },
    remotePorts: { short: 'p', long: 'egress-port' },
    localPorts,
    protocols: { short: 'P', long: 'ipprotocol' },
    noDerivedExclusions: { short: 'E', long: 'no-derived-exclusion-rules' },
  }
}

/** What is chosen and what is spared; an empty `only` chooses everything. */
export interface Sides {
  readonly only: readonly string[]
  readonly not: readonly string[]
}

/** Which traffic a network attack is about; what is spared is never hit. */
export interface NetworkSelector {
  readonly addresses: Sides
  readonly devices: Sides
  readonly hostnames: Sides
  readonly remotePorts: Sides
  readonly localPorts: Sides
  readonly protocols: Sides
  /** The control plane is spared because a flag says so. */
  readonly sparesControlPlane: boolean
  /** What an attack must not cut by accident is spared too: control plane, DHCP. */
  readonly derivesExclusions: boolean
}

/** The traffic that the parameters of a network attack choose. */
export function selectorOf(params: Values<typeof selectorParams>): NetworkSelector {
  const hostnames = split(params.hostnames)
  return {
    addresses: split(params.addresses),
    devices: split(params.devices),
    hostnames: { ...hostnames, not: hostnames.not.filter((name) => name !== controlPlaneName) },
    remotePorts: split(params.remotePorts),
    localPorts: split(params.localPorts),
    protocols: split(params.protocols),
    sparesControlPlane: hostnames.not.includes(controlPlaneName),
    derivesExclusions: !params.noDerivedExclusions,
  }
}

/** Why nothing could ever match, as the two parameters that exclude each other; or undefined. */
export function selectorContradiction(
  params: Values<typeof selectorParams>,
): Contradiction | undefined {
  const { protocols, remotePorts, localPorts } = selectorOf(params)
  const hasPorts = ['TCP', 'UDP'].some(
    (name) =>
      (protocols.only.length === 0 || protocols.only.includes(name)) &&
      !protocols.not.includes(name),
  )
  const ported = (
    [
      ['remotePorts', remotePorts],
      ['localPorts', localPorts],
    ] as const
  ).find(([, { only }]) => only.length > 0)
  if (hasPorts || !ported) return undefined
  return {
    params: ['protocols', ported[0]],
    message: 'Only TCP and UDP have ports, so nothing would match.',
  }
}

function split(items: readonly string[]): Sides {
  return {
    only: items.filter((item) => !item.startsWith('^')),
    not: items.filter((item) => item.startsWith('^')).map((item) => item.slice(1)),
  }
}
