import { setTimeout as sleep } from 'node:timers/promises'
import type { Lab, Side } from './network-lab.ts'
import type { Way } from './network-ways.ts'

const flowCounts = [1, 8]
const settleMs = 200
/** Of the pair. */
const nearAddress = '10.99.0.1'
/** Packets that do not come within this time after the last one are lost. */
const patienceMs = 1500
const lookEveryMs = 100

/** What a path carries. */
export interface Carried {
  readonly way: string
  readonly delayMs: number
  /** By number of TCP flows. */
  readonly megabits: readonly number[]
  /** What one flow may have under way at once, in bytes: it cannot carry more in a round trip. */
  readonly sendBuffer: number
  readonly packets: Packets
}

/** UDP packets at a steady rate, counted by the kernel of the one that gets them. */
export interface Packets {
  readonly perSecond: number
  readonly sent: number
  readonly arrived: number
}

export interface CarriedOptions {
  readonly delaysMs: readonly number[]
  /** The side whose packets pass the delay, and are much. */
  readonly from: Side
  /** How long TCP is measured after its start. */
  readonly seconds: number
  readonly packetsPerSecond: number
  readonly packets: number
}

/** Sends TCP and UDP as much as goes, in each way and without. */
export async function measureCarried(
  lab: Lab,
  ways: readonly Way[],
  options: CarriedOptions,
  onDelay: (way: Way, delayMs: number) => void = () => undefined,
): Promise<Carried[]> {
  const to = options.from === 'near' ? 'far' : 'near'
  await lab.exec(to, 'nft', counterRules)
  if (options.from === 'near') await lab.pair.start('near', 'serve').next()
  const found: Carried[] = []
  for (const delayMs of [0, ...options.delaysMs])
    for (const way of delayMs === 0 ? ways.slice(0, 1) : ways) {
      onDelay(way, delayMs)
      await sleep(settleMs)
      found.push(await way.during(delayMs, () => carry(lab, way.name, delayMs, to, options)))
    }
  return found
}

async function carry(
  lab: Lab,
  way: string,
  delayMs: number,
  to: Side,
  options: CarriedOptions,
): Promise<Carried> {
  const megabits: number[] = []
  for (const flows of flowCounts) {
    const pull = lab.pair.start(to, 'pull', addressOf(lab, options.from), flows, options.seconds)
    megabits.push((await pull.next())['megabits'] ?? Number.NaN)
  }
  const buffer = await lab.exec(options.from, 'sysctl', '-n', 'net.ipv4.tcp_wmem')
  const sendBuffer = Number(buffer.trim().split(/\s+/)[2])
  return { way, delayMs, megabits, sendBuffer, packets: await sendPackets(lab, to, options) }
}

async function sendPackets(
  lab: Lab,
  to: Side,
  { from, packets, packetsPerSecond }: CarriedOptions,
): Promise<Packets> {
  const before = await countArrived(lab, to)
  const sender = lab.pair.start(from, 'send', addressOf(lab, to), packets, packetsPerSecond)
  const { perSecond = Number.NaN } = await sender.next()
  let [arrived, at] = [0, performance.now()]
  while (arrived < packets && performance.now() - at < patienceMs) {
    await sleep(lookEveryMs)
    const now = (await countArrived(lab, to)) - before
    if (now > arrived) [arrived, at] = [now, performance.now()]
  }
  return { perSecond, sent: packets, arrived }
}

function addressOf({ pair }: Lab, side: Side): string {
  return side === 'near' ? nearAddress : pair.chosen
}

/** Counted when they have passed everything, and dropped, so that nobody has to read them. */
const counterRules = `table inet temblor_bench {
  counter arrived { }
  chain after {
    type filter hook input priority filter + 10; policy accept;
    udp dport 9002 counter name arrived drop
  }
}`

async function countArrived(lab: Lab, side: Side): Promise<number> {
  const list = ['-j', 'list', 'counter', 'inet', 'temblor_bench', 'arrived']
  return Number(/"packets": (\d+)/.exec(await lab.exec(side, 'nft', ...list))?.[1])
}
