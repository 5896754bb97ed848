import { decimal, goal, ratio, spreadOf } from './figures.ts'
import type { BenchContext, Group, Table } from './group.ts'
import { foreignCell, watchForeignCpu } from './machine.ts'
import { measureAccuracy } from './network-accuracy.ts'
import { blockCount, measureBlocks } from './network-blocks.ts'
import { measureCarried } from './network-carried.ts'
import { measureInForce } from './network-in-force.ts'
import { killWithinMs, measureKills } from './network-kills.ts'
import { openLab, type Lab } from './network-lab.ts'
import { runSections } from './network-sections.ts'
import { accuracyTable, carriedTable, inForceTable, spreadCells } from './network-tables.ts'
import { byAttack } from './network-ways.ts'

const goals = { blocksMs: 100, left: 0 }
const packetsPerSecond = 20_000
/** What a latency attack asks for where it is timed, and a round trip that is none of it. */
const [timedDelayMs, usualMs] = [100, 15]

/** Network faults in namespaces of this machine, by what its kernel can do. */
export const measureNetwork: Group = (context) =>
  runSections(context, {
    'until in force, until gone': () => timeFaults(context),
    'asked and measured': () => compareDelays(context),
    'TCP flows and packets': () => carry(context),
    'many blocks of addresses': () => applyBlocks(context),
    'kill -9 of the agent': () => killAgents(context),
  })

async function timeFaults({ isQuick, signal }: BenchContext): Promise<Table> {
  const rounds = isQuick ? 4 : 15
  return inLab(async (lab, foreign) => {
    const agent = await lab.startAgent()
    const options = { rounds, everyMs: 1, delayMs: timedDelayMs, usualMs }
    const times = await measureInForce(lab, agent, options, () => signal.throwIfAborted())
    return inForceTable(times, {
      title: `Network faults in ms, seen by packets (n = ${rounds}, a packet each ms; latency of ${timedDelayMs} ms)`,
      notes: [
        'Floor: nft list ruleset in the same namespace, started by the agent, from its spawn to its end.',
        'Latency needs a Node process here, which serves the queue (NFQUEUE).',
      ],
      foreign: foreign(),
    })
  })
}

async function compareDelays(context: BenchContext): Promise<Table> {
  const { isQuick, signal } = context
  const options = { count: isQuick ? 200 : 500, everyMs: 5, settleMs: 300 }
  return inLab(async (lab, foreign) => {
    const ways = [byAttack(lab, await lab.startAgent())]
    const seen = await measureAccuracy(lab, ways, options, (_, delayMs) => {
      signal.throwIfAborted()
      context.say(`    ${delayMs} ms`)
    })
    return accuracyTable(seen, {
      title: `Latency: asked and added, in ms (NFQUEUE, ${options.count} ICMP echoes each)`,
      notes: ['Added: minus the median round trip right before, without the fault (NORMAL).'],
      foreign: foreign(),
    })
  })
}

async function carry(context: BenchContext): Promise<Table> {
  const { isQuick, signal } = context
  const seconds = isQuick ? 1 : 3
  const packets = packetsPerSecond * seconds
  return inLab(async (lab, foreign) => {
    const ways = [byAttack(lab, await lab.startAgent())]
    const delaysMs = isQuick ? [100] : [10, 100]
    const options = { delaysMs, from: 'far', seconds, packetsPerSecond, packets } as const
    const found = await measureCarried(lab, ways, options, (_, delayMs) => {
      signal.throwIfAborted()
      context.say(`    ${delayMs} ms`)
    })
    return carriedTable(found, {
      title: `Latency: TCP in Mbit/s, and ${packets} UDP packets (NFQUEUE, ${seconds} s each)`,
      notes: [
        'A flow cannot carry more in a round trip than its send buffer holds (tcp_wmem).',
        'Sender, receiver and the helper of the queue share the cores.',
      ],
      foreign: foreign(),
    })
  })
}

async function applyBlocks({ isQuick }: BenchContext): Promise<Table> {
  const rounds = isQuick ? 3 : 10
  return inLab(async (lab, foreign) => {
    const times = await measureBlocks(lab, await lab.startAgent(), rounds)
    const floor = spreadOf(times.nft).p50
    const last = foreign()
    const row = (name: string, values: readonly number[], limitMs?: number) => {
      const { p50 } = spreadOf(values)
      const judged = limitMs === undefined ? '-' : goal(`< ${limitMs}`, p50 < limitMs)
      return [name, ...spreadCells(values), judged, decimal(floor), ratio(p50, floor), last]
    }
    const of = (key: 'inForce' | 'gone') => times.attacks.map((one) => one[key])
    return {
      title: `Blackhole of ${blockCount} blocks of addresses, in ms (n = ${rounds})`,
      rows: [
        ['WHAT', 'P50', 'P95', 'MAX', 'GOAL', 'NFT P50', 'RATIO', 'FOREIGN CORES'],
        row('the one nft transaction', times.transaction, goals.blocksMs),
        row('request → first packet hit', of('inForce')),
        row('halt → first packet spared', of('gone')),
      ],
      notes: ['The transaction: nft -f with the ruleset that the agent builds, spawn to end.'],
      missing: [],
    }
  })
}

async function killAgents(context: BenchContext): Promise<Table> {
  const { isQuick, signal } = context
  const rounds = isQuick ? 10 : 100
  return inLab(async (lab, foreign) => {
    const { struck, left, restartMs } = await measureKills(lab, rounds, (round) => {
      signal.throwIfAborted()
      if (round % 10 === 0) context.say(`    round ${round} of ${rounds}`)
    })
    return {
      title: `kill -9 of the agent 0 to ${killWithinMs} ms after an order (blackhole, latency in turn), then a restart`,
      rows: [
        ['ROUNDS', 'HIT A FAULT', 'LEFT BEHIND', 'GOAL', 'RESTART P50 MS', 'P95', 'MAX', 'FOREIGN'],
        [
          String(rounds),
          String(struck),
          String(left.length),
          goal(String(goals.left), left.length === goals.left),
          ...spreadCells(restartMs),
          foreign(),
        ],
      ],
      notes: [
        'Hit a fault: rules, devices or helpers of the attack were there when the agent was dead.',
        'Left behind: rounds after which rules, devices, queues, filters or helpers were not as before, once the next agent was ready.',
        ...left,
      ],
      missing: [],
    }
  })
}

/** With a lab of its own, and the last cell of the rows. */
async function inLab(measure: (lab: Lab, foreign: () => string) => Promise<Table>): Promise<Table> {
  await using lab = await openLab()
  const watch = watchForeignCpu()
  return await measure(lab, () => foreignCell(watch()))
}
