import type { Guest } from '../support/guest/guest.ts'

/** Queues of its own for each wire that leaves the host: tuned ones, and on the last bare netem. */
const queues = `
qdisc add dev w0 root handle 1: htb default 20 r2q 100
class add dev w0 parent 1: classid 1:10 htb rate 100mbit ceil 200mbit burst 15k
class add dev w0 parent 1: classid 1:20 htb rate 500mbit
qdisc add dev w0 parent 1:20 handle 20: fq_codel limit 5000 target 7ms
filter add dev w0 parent 1: protocol ip prio 1 u32 match ip dport 9999 0xffff flowid 1:10
qdisc add dev w1 root handle 8001: fq limit 5000 flow_limit 500 quantum 6056
qdisc add dev w2 root handle 8002: cake bandwidth 500mbit rtt 50ms
qdisc add dev w3 root handle 3: mq
qdisc add dev w3 parent 3:1 handle 31: pfifo limit 77
qdisc add dev w4 root handle 4: netem delay 100ms limit 100000
`
const wireCount = 5

/** Addresses at the far end of a wire: a peer that is hit, others beside it. */
export const peer = (wire: number, number = 2): string => `10.77.${wire}.${number}`
export const peer6 = (wire: number, number = 2): string => `fd77:${wire}::${number}`

/**
 * Lays wires to the namespace `far`, and a bridge with the namespace `inner` behind it, as containers are:
 * it is routed over wire 0, and its address is translated over wire 1.
 */
export async function layWires(guest: Guest): Promise<void> {
  const batch = (lines: readonly string[], ...args: string[]) =>
    guest.ok(['ip', ...args, '-batch', '-'], { input: `${lines.join('\n')}\n` })
  await guest.ok(['modprobe', '-a', 'veth', 'bridge', 'sch_htb', 'sch_fq', 'sch_cake', 'cls_u32'])
  for (const name of ['far', 'inner']) await guest.ok(['ip', 'netns', 'add', name])
  const wires = Array.from({ length: wireCount }, (_, wire) => wire)
  await batch([
    ...wires.flatMap((wire) => [
      `link add w${wire} numtxqueues 2 numrxqueues 2 type veth peer name f${wire} netns far`,
      `link set w${wire} up`,
      `address add 10.77.${wire}.1/24 dev w${wire}`,
      `address add fd77:${wire}::1/64 dev w${wire} nodad`,
    ]),
    'link add br0 type bridge',
    'link add v0 type veth peer name eth0 netns inner',
    'link set v0 master br0 up',
    'link set br0 up',
    'address add 10.88.0.1/24 dev br0',
    'address add fd88::1/64 dev br0 nodad',
  ])
  await batch(
    [
      'link set lo up',
      ...wires.flatMap((wire) => [
        `link set f${wire} up`,
        // The first is the one that answers come from.
        ...[2, 3, 4].flatMap((number) => [
          `address add ${peer(wire, number)}/24 dev f${wire}`,
          `address add ${peer6(wire, number)}/64 dev f${wire} nodad preferred_lft ${number === 2 ? 'forever' : 0}`,
        ]),
      ]),
      'route add 10.88.0.0/24 via 10.77.0.1',
      'route add fd88::/64 via fd77:0::1',
    ],
    '-n',
    'far',
  )
  await batch(
    [
      'link set lo up',
      'link set eth0 up',
      'address add 10.88.0.2/24 dev eth0',
      'address add fd88::2/64 dev eth0 nodad',
      'route add default via 10.88.0.1',
      'route add default via fd88::1',
    ],
    '-n',
    'inner',
  )
  await guest.ok(['sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'])
  const translate = 'type nat hook postrouting priority srcnat; oifname "w1" masquerade'
  const nat = `table ip users_own { chain out { ${translate}; }; }\n`
  await guest.ok(['nft', '-f', '-'], { input: nat })
  await guest.ok(['tc', '-batch', '-'], { input: queues })
  // What a thousand pings at once need.
  await guest.ok(['sysctl', '-qw', 'net.core.rmem_max=67108864', 'net.core.wmem_max=67108864'])
}

/** Devices on wire 0 with networks of their own: VLANs, one of them a provider's, and a macvlan. */
const uppers = [
  { net: 100, name: 'w0.100', kind: 'vlan id 100' },
  { net: 200, name: 'w0.200', kind: 'vlan id 200' },
  { net: 7, name: 'w0p', kind: 'vlan proto 802.1ad id 7' },
  { net: 50, name: 'm0', kind: 'macvlan mode bridge' },
] as const

export const upperPeer = (net: (typeof uppers)[number]['net']): string => `10.79.${net}.2`

const lay = (on: string, name: string, kind: string, address: string): string[] => [
  `link add link ${on} name ${name} type ${kind}`,
  `link set ${name} up`,
  `address add ${address}/24 dev ${name}`,
]

export async function layUppers(guest: Guest): Promise<void> {
  const batch = (lines: readonly string[], ...args: string[]) =>
    guest.ok(['ip', ...args, '-batch', '-'], { input: `${lines.join('\n')}\n` })
  await guest.ok(['modprobe', '-a', '8021q', 'macvlan'])
  await batch(uppers.flatMap(({ net, name, kind }) => lay('w0', name, kind, `10.79.${net}.1`)))
  const far = uppers.flatMap(({ net, kind }) =>
    kind.startsWith('vlan')
      ? lay('f0', `f0.${net}`, kind, upperPeer(net))
      : [`address add ${upperPeer(net)}/24 dev f0`],
  )
  await batch(far, '-n', 'far')
}

export async function removeUppers(guest: Guest): Promise<void> {
  for (const { name } of uppers) await guest.ok(['ip', 'link', 'delete', name])
}

/** From which namespace of the guest, undefined for its own, to which address. */
type Path = readonly [from: 'inner' | undefined, address: string]

/**
 * Pings over several ways at once. The kernels at both ends keep the time, so that a processor which has
 * other things to do matters little. @returns milliseconds in order of size, for those that were answered
 */
export async function pings<K extends string>(
  guest: Guest,
  paths: Readonly<Record<K, Path>>,
  count = 20,
): Promise<Record<K, number[]>> {
  const names = Object.keys(paths) as K[]
  const commands = names.map((name) => {
    const [from, address] = paths[name]
    return `${name} ${from === undefined ? '' : `ip netns exec ${from} `}ping -n ${address}`
  })
  const script =
    'while read -r name command; do $command -c $0 -i 0.2 -W 5 </dev/null | sed "s/^/$name /" & done; wait'
  const input = `${commands.join('\n')}\n`
  const text = await guest.ok(['sh', '-c', script, String(count)], { input })
  const seen = [...text.matchAll(/^(\w+) .* time=([\d.]+) ms$/gm)]
  const times = (name: K) =>
    seen.flatMap(([, one, ms]) => (one === name ? [Number(ms)] : [])).sort((a, b) => a - b)
  return Object.fromEntries(names.map((name) => [name, times(name)])) as Record<K, number[]>
}
