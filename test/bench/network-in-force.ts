import { setTimeout as sleep } from 'node:timers/promises'
import type { Lab, LabAgent, Span } from './network-lab.ts'
import type { ProbedPacket } from './network-probe.ts'

/** Between the steps, so that each is measured alone. */
const pauseMs = 150
/** So many packets in a row make a state; a single one may be an accident of the scheduler. */
const inARow = 3

/** One attack, in ms from the request for it and from that to halt it. */
export interface AttackTimes {
  /** The first packet that was hit had been sent. */
  readonly inForce: number
  /** The agent had said that it runs. */
  readonly running: number
  /** The first packet that was spared again had been sent. */
  readonly gone: number
  /** The agent had said that it is over. */
  readonly over: number
}

export interface InForceOptions {
  readonly rounds: number
  /** Between two packets of the probe. */
  readonly everyMs: number
  /** Of the latency attacks. */
  readonly delayMs: number
  /** A packet that takes longer is not spared, however busy the machine. */
  readonly usualMs: number
}

export interface InForceTimes {
  readonly blackhole: readonly AttackTimes[]
  readonly latency: readonly AttackTimes[]
  /** `nft list ruleset`, from its spawn to its end. */
  readonly nft: readonly number[]
  /** `node -e ""`, from its spawn to its end. */
  readonly node: readonly number[]
}

/** Requests and halts attacks while a probe sees each packet. The first round is not counted. */
export async function measureInForce(
  lab: Lab,
  agent: LabAgent,
  { rounds, everyMs, delayMs, usualMs }: InForceOptions,
  onRound: (round: number) => void = () => undefined,
): Promise<InForceTimes> {
  const probe = await lab.startProbe(everyMs)
  const times = { blackhole: [] as AttackTimes[], latency: [] as AttackTimes[] }
  const floors = { nft: [] as number[], node: [] as number[] }
  const settleMs = delayMs + pauseMs
  const late = (packet: ProbedPacket) => isLost(packet) || (packet[1] ?? 0) >= delayMs / 2
  for (let round = 0; round <= rounds; round += 1) {
    onRound(round)
    for (const [type, isHit] of [
      ['blackhole', isLost],
      ['latency', late],
    ] as const) {
      await sleep(pauseMs)
      await probe.packets()
      const args = ['-l', '60', '-i', lab.pair.chosen]
      if (type === 'latency') args.push('-m', String(delayMs))
      const started = await agent.ask({ attack: type, args })
      await sleep(settleMs)
      const halted = await agent.ask({ halt: true })
      await sleep(settleMs)
      times[type].push(timesOf(await probe.packets(), { isHit, usualMs }, started, halted))
    }
    floors.nft.push(await timeTool(agent, 'nft', ['list', 'ruleset']))
    floors.node.push(await timeTool(agent, process.execPath, ['-e', '']))
  }
  return {
    blackhole: times.blackhole.slice(1),
    latency: times.latency.slice(1),
    nft: floors.nft.slice(1),
    node: floors.node.slice(1),
  }
}

/** How long a tool takes from its spawn to its end, started by the agent, in ms. */
export async function timeTool(
  agent: LabAgent,
  tool: string,
  args: readonly string[],
  input = '',
): Promise<number> {
  await sleep(pauseMs)
  const { fromMs, untilMs } = await agent.ask({ tool, args, input })
  return untilMs - fromMs
}

/** No echo came. */
export function isLost([, tookMs]: ProbedPacket): boolean {
  return tookMs === null
}

/** When the fault began and ended for packets. @throws Error when no packet saw it begin or end */
export function timesOf(
  packets: readonly ProbedPacket[],
  { isHit, usualMs }: { isHit: (packet: ProbedPacket) => boolean; usualMs: number },
  started: Span,
  halted: Span,
): AttackTimes {
  const isSpared = (packet: ProbedPacket) => packet[1] !== null && packet[1] < usualMs
  return {
    inForce: firstSentAt(packets, started.fromMs, isHit, 'the fault begin') - started.fromMs,
    running: started.untilMs - started.fromMs,
    gone: firstSentAt(packets, halted.fromMs, isSpared, 'the fault end') - halted.fromMs,
    over: halted.untilMs - halted.fromMs,
  }
}

function firstSentAt(
  packets: readonly ProbedPacket[],
  fromMs: number,
  isSo: (packet: ProbedPacket) => boolean,
  what: string,
): number {
  const later = packets.filter(([sentAtMs]) => sentAtMs >= fromMs)
  const found = later.findIndex((_, index) => {
    const some = later.slice(index, index + inARow)
    return some.length === inARow && some.every(isSo)
  })
  const first = later[found]
  if (!first) throw new Error(`No packet of ${later.length} saw ${what}.`)
  return first[0]
}
