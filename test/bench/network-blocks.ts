import { setTimeout as sleep } from 'node:timers/promises'
import { buildRuleset, deleteScript, type TrafficPlan } from '../../agent/network/ruleset.ts'
import { isLost, timesOf, timeTool, type AttackTimes } from './network-in-force.ts'
import type { Lab, LabAgent } from './network-lab.ts'

export const blockCount = 1500
const settleMs = 150
/** A packet that takes longer is not spared yet. */
const usualMs = 15
const family = 'netdev'
const table = 'temblor_bench_blocks'

/** What many blocks of addresses cost, in ms. */
export interface BlockTimes {
  /** The one transaction of nft with the ruleset that the agent builds for them. */
  readonly transaction: readonly number[]
  /** `nft list ruleset`, where there are none. */
  readonly nft: readonly number[]
  /** A blackhole of all of them, from the request. */
  readonly attacks: readonly AttackTimes[]
}

/** Applies a ruleset with 1,500 blocks, and blackholes as many. The first round is not counted. */
export async function measureBlocks(
  lab: Lab,
  agent: LabAgent,
  rounds: number,
): Promise<BlockTimes> {
  const blocks = [`${lab.pair.chosen}/32`, ...scatteredBlocks(blockCount - 1)]
  const ruleset = rulesetFor(blocks)
  const probe = await lab.startProbe(1)
  const [transaction, nft, attacks]: [number[], number[], AttackTimes[]] = [[], [], []]
  for (let round = 0; round <= rounds; round += 1) {
    nft.push(await timeTool(agent, 'nft', ['list', 'ruleset']))
    transaction.push(await timeTool(agent, 'nft', ['-f', '-'], ruleset))
    await timeTool(agent, 'nft', ['-f', '-'], deleteScript(family, table))
    await probe.packets()
    const args = ['-l', '60', ...blocks.flatMap((block) => ['-i', block])]
    const started = await agent.ask({ attack: 'blackhole', args })
    await sleep(settleMs)
    const halted = await agent.ask({ halt: true })
    await sleep(settleMs)
    attacks.push(timesOf(await probe.packets(), { isHit: isLost, usualMs }, started, halted))
  }
  return { transaction: transaction.slice(1), nft: nft.slice(1), attacks: attacks.slice(1) }
}

/** Blocks of eight addresses, none beside another, so that nft cannot join them. */
function scatteredBlocks(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const [high, low] = [Math.floor(index / 16), (index % 16) * 16]
    return `172.${16 + Math.floor(high / 256)}.${high % 256}.${low}/29`
  })
}

/** As a blackhole of these blocks has it, but for what it does with a packet. */
function rulesetFor(chosen: readonly string[]): string {
  const none = { only: [], not: [] }
  const plan: TrafficPlan = {
    devices: ['eth0'],
    chosen,
    spared: [],
    sparedEndpoints: [],
    remotePorts: { only: [], not: ['53'] },
    localPorts: none,
    protocols: none,
    sparesDhcp: true,
    sparedLocalPort: 61_001,
  }
  return buildRuleset(plan, {
    table,
    family,
    priority: 290,
    holdMs: 12_000,
    hooks: [
      { direction: 'egress', verdict: 'drop' },
      { direction: 'ingress', verdict: 'drop' },
    ],
  })
}
