import type { Guest } from '../support/guest/guest.ts'
import { captureGuest, putStateProgram } from '../support/guest/state.ts'
import type { CaptureOptions, HostState } from '../support/host-state.ts'

/** What is hit, by fault; further peers are left alone. */
export const peers = { delayed: '10.77.1.2', cut: '10.77.2.2', own: '10.77.3.2' } as const
/** The delay is above what a ping waits for, and that is far above what an emulated wire takes. */
export const delayMs = 1500
const pingSeconds = '0.7'

const networkProgram = '/usr/local/sbin/own-network'
const rulesFile = '/etc/own-network.nft'
const untilNormal = '/usr/local/sbin/until-normal'

/** Peers in a namespace, a wire to each, and what the host's owner has set up for them. */
const network = `#!/bin/sh
set -eu
ip netns add peers
wire() {
  ip link add "$1" address 02:00:00:00:0$2:01 type veth \\
    peer name "far$2" address 02:00:00:00:0$2:02 netns peers
  ip address add 10.77.$2.1/24 dev "$1"
  ip link set "$1" up
  ip -n peers address add 10.77.$2.2/24 dev "far$2"
  ip -n peers link set "far$2" up
}
wire delayed 1
wire cut 2
wire own 3
tc qdisc replace dev delayed root handle 10: fq limit 5000 flow_limit 50 quantum 3000
tc qdisc add dev own root handle 1: htb default 20
tc class add dev own parent 1: classid 1:1 htb rate 100mbit
tc class add dev own parent 1:1 classid 1:10 htb rate 60mbit ceil 100mbit prio 1
tc class add dev own parent 1:1 classid 1:20 htb rate 40mbit ceil 100mbit prio 2
tc qdisc add dev own parent 1:20 handle 20: fq limit 2000 flow_limit 20
tc filter add dev own parent 1: protocol ip prio 1 u32 match ip dport 5001 0xffff flowid 1:10
ip rule add to 10.99.0.0/16 lookup 99 priority 99
nft -f ${rulesFile}
iptables -t mangle -A OUTPUT -d 10.99.0.1 -j MARK --set-mark 7
`

const rules = `table inet own {
  set blocked { type ipv4_addr; flags interval; elements = { 192.0.2.0/24, 198.51.100.7 }; }
  chain input {
    type filter hook input priority 0; policy accept;
    ip saddr @blocked drop
    ct state invalid drop
  }
}
table netdev own {
  chain leaving { type filter hook egress device "delayed" priority 0; ip daddr 192.0.2.1 drop; }
}
`

const unit = `[Unit]
Description=The network of the owner of this host
After=guest-network.service
Before=temblor-agent.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${networkProgram}

[Install]
WantedBy=multi-user.target
`

/** Prints for how many seconds, by a clock that nobody sets, something of a fault was still there. */
const untilNormalText = `#!/bin/sh
read -r from _ < /proc/uptime
until ping -qnc1 -W${pingSeconds} ${peers.delayed} && ping -qnc1 -W${pingSeconds} ${peers.cut} \\
  && ! pgrep -f cpu-burner; do sleep 0.1; done > /dev/null
read -r to _ < /proc/uptime
echo "$from $to" | awk '{ print $2 - $1 }'
`

/** The agent's own memory of what it did, and of the system that it found at this boot. */
const changing = ['journal/', 'lock'].map((name) => `/var/lib/temblor/${name}`)
const folders = ['/etc', '/run/netns', '/usr/local', '/var/lib/temblor']
const captured: CaptureOptions = { folders, except: changing }

/** Gives a host an owner: queues, classes, filters, rules, and peers to talk to. They survive a boot. */
export async function setUpOwner(guest: Guest): Promise<void> {
  await putStateProgram(guest)
  await guest.write(networkProgram, network, 0o755)
  await guest.write(untilNormal, untilNormalText, 0o755)
  await guest.write(rulesFile, rules)
  await guest.write('/etc/systemd/system/own-network.service', unit)
  await guest.ok(['systemctl', 'enable', '--now', 'own-network.service'])
}

/** Waits until the owner's network is there after a boot: the guest answers before that. */
export async function untilOwnNetwork(guest: Guest): Promise<void> {
  await guest.ok(['systemctl', 'start', 'own-network.service'], { timeoutMs: 120_000 })
}

/** The owner loads the rules again after somebody has flushed them. */
export async function reloadRules(guest: Guest): Promise<void> {
  await guest.ok(['nft', '-f', rulesFile])
  const mark = ['-d', '10.99.0.1', '-j', 'MARK', '--set-mark', '7']
  await guest.ok(['iptables', '-t', 'mangle', '-A', 'OUTPUT', ...mark])
}

/**
 * Has the host suspend itself to memory in a second, until its clock wakes it up. What it is asked
 * meanwhile is lost, so nothing should be before it is heard of again.
 */
export async function suspend(guest: Guest, seconds: number): Promise<void> {
  const alarm = '/sys/class/rtc/rtc0/wakealarm'
  const script = `echo 0 > ${alarm}; echo +${seconds} > ${alarm}; echo mem > /sys/power/state`
  await guest.ok(['systemd-run', '--quiet', '--no-block', 'sh', '-c', `sleep 1; ${script}`])
}

/** For how many seconds the guest has slept since it was booted, by its own two clocks. */
export async function sleptSeconds(guest: Guest): Promise<number> {
  const script = 'cat /proc/uptime; grep -m 1 "^now at" /proc/timer_list'
  const text = await guest.ok(['sh', '-c', script])
  const [, sinceBoot, awakeNs] = /^([\d.]+) [^]*now at (\d+) nsecs/.exec(text) ?? []
  return Number(sinceBoot) - Number(awakeNs) / 1e9
}

/** Everything of the host that an attack could leave behind. */
export function stateOf(guest: Guest): Promise<HostState> {
  return captureGuest(guest, captured)
}

/** Whether peers answer as if there were no fault. */
export async function answers(guest: Guest, peer: keyof typeof peers): Promise<boolean> {
  return (await guest.run(['ping', '-qnc1', `-W${pingSeconds}`, peers[peer]])).code === 0
}

/** Waits until nothing of the faults is felt. @returns for how long it was, in seconds */
export async function secondsUntilNormal(guest: Guest, withinSeconds: number): Promise<number> {
  const timeoutMs = withinSeconds * 1000
  return Number(await guest.ok([untilNormal], { timeoutMs }))
}
