import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProc } from '../../agent/host/processes.ts'
import { clockMs } from './network-clock.ts'
import type { Lab } from './network-lab.ts'

/** The agent is killed at a random moment so long after the order at most. */
export const killWithinMs = 400
const attacks = ['blackhole', 'latency']

/** What rounds of killing the agent have left. */
export interface KillResult {
  readonly rounds: number
  /** Rounds in which something of the attack was there when the agent had been killed. */
  readonly struck: number
  /** Rounds in which something was there after the restart, and what, with the attack's type. */
  readonly left: readonly string[]
  /** From the start of the next agent until it was ready, with everything taken back, in ms. */
  readonly restartMs: readonly number[]
}

/**
 * Orders an attack, kills the agent with SIGKILL at a random moment and starts it again, so many
 * times. Whatever is not as before the first round when the agent is ready again is left behind.
 */
export async function measureKills(
  lab: Lab,
  rounds: number,
  onRound: (round: number) => void = () => undefined,
): Promise<KillResult> {
  let agent = await lab.startAgent()
  const { instanceId } = agent
  const before = new Set(await objectsOf(lab, instanceId))
  const left: string[] = []
  const restartMs: number[] = []
  let struck = 0
  for (let round = 0; round < rounds; round += 1) {
    onRound(round)
    const attack = attacks[round % attacks.length] ?? ''
    agent.tell({ attack, args: ['-l', '60', '-i', lab.pair.chosen] })
    await sleep(Math.random() * killWithinMs)
    await agent.kill()
    const atKill = await objectsOf(lab, instanceId)
    if (atKill.some((one) => !before.has(one))) struck += 1
    const startedAt = clockMs()
    agent = await lab.startAgent()
    restartMs.push(clockMs() - startedAt)
    const now = await objectsOf(lab, instanceId)
    const more = now.filter((one) => !before.has(one))
    if (more.length > 0) left.push(`${attack}: ${more.join(', ')}`)
  }
  return { rounds, struck, left, restartMs }
}

/** Everything in the near namespace that a fault could leave, and the agent's helpers. */
async function objectsOf(lab: Lab, instanceId: string): Promise<string[]> {
  const [rules, links, queues, filters] = await Promise.all([
    lab.exec('near', 'nft', '-s', 'list', 'ruleset'),
    lab.exec('near', 'ip', '-o', 'link'),
    lab.exec('near', 'tc', 'qdisc'),
    lab.exec('near', 'tc', 'filter', 'show', 'dev', 'eth0'),
  ])
  const helpers = readdirSync('/proc').filter((name) =>
    readProc(`${name}/cmdline`)?.includes(`temblor:${instanceId}`),
  )
  return [
    ...tablesOf(rules),
    ...lines(links).map((line) => `device ${/^\d+: ([^:@]+)/.exec(line)?.[1]}`),
    ...lines(queues),
    ...lines(filters),
    ...helpers.map((pid) => `process ${pid}`),
  ]
}

/** Each table with all that is in it, on one line. */
function tablesOf(rules: string): string[] {
  return rules
    .split(/^(?=table )/m)
    .map((table) => table.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean)
}

function lines(text: string): string[] {
  return text.split('\n').filter(Boolean)
}
