import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { helpersOf } from './executor-in-namespace.ts'
import type { NamespacePair } from './namespace-pair.ts'

const run = promisify(execFile)
const queuesPath = '/proc/net/netfilter/nfnetlink_queue'

interface Seen {
  readonly sent: number
  readonly times: number[]
}

/**
 * What a round trip takes when no process has to wait for its turn: the lower quartile. On a busy
 * machine half of the samples may be about the machine.
 */
export function typical(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)] ?? NaN
}

/**
 * Measures until it is near to what is expected, within 3 (ms, percent) unless said: on a busy machine processes
 * wait for their turn now and then, while a wrong delay stays wrong.
 * @throws Error with what was seen
 */
export async function untilNear(
  expected: number,
  measure: () => Promise<number>,
  apart = 3,
): Promise<void> {
  const seen: number[] = []
  for (let round = 0; round < 10; round += 1) {
    const value = await measure()
    seen.push(value)
    if (Math.abs(value - expected) < apart) return
  }
  throw new Error(
    `Expected ${expected}, measured ${seen.map((value) => value.toFixed(1)).join(', ')}.`,
  )
}

/** What connecting and an echo take on the ways through a pair of namespaces. */
export function measureIn(pair: NamespacePair) {
  const seen = async (side: 'near' | 'far', args: (string | number)[]) =>
    (await pair.start(side, ...args).next()) as unknown as Seen
  return {
    /** Milliseconds that a TCP connection from the near namespace takes. */
    connects: async (address: string, count = 9) =>
      typical((await seen('near', ['connect', address, count])).times),
    /** Milliseconds from sending to the echo of a UDP packet. */
    async echoes(address: string, count = 9, everyMs = 10) {
      const { sent, times } = await seen('near', ['echo', address, count, everyMs])
      return { lost: sent - times.length, typicalMs: typical(times) }
    },
    /** The same from outside: from an address of the far namespace to the near one. */
    connectsFrom: async (from: string, to: string, count = 9) =>
      typical((await seen('far', ['connect', to, count, from])).times),
    echoesFrom: async (from: string, to: string, count = 9) =>
      typical((await seen('far', ['echo', to, count, 10, from])).times),
  }
}

/** Runs a command in a network namespace and gives what it printed. */
export async function runInside(namespacePath: string, ...command: string[]): Promise<string> {
  return (await run('nsenter', [`--net=${namespacePath}`, '--', ...command])).stdout
}

/** Packets that wait in a queue of the namespace now. */
export async function heldIn(namespacePath: string): Promise<number> {
  const text = await runInside(namespacePath, 'cat', queuesPath)
  return Number(text.trim().split(/\s+/)[2] ?? 0)
}

/** When the kernel forgets the rules of a delay, on the clock of performance.now(); 0 when it has. */
export async function rulesHoldUntil(namespacePath: string): Promise<number> {
  const text = await runInside(namespacePath, 'nft', 'list', 'ruleset')
  const left = /ip timeout \w+ expires (?:(\d+)s)?(?:(\d+)ms)?/.exec(text)
  return left ? performance.now() + 1000 * Number(left[1] ?? 0) + Number(left[2] ?? 0) : 0
}

/** Everything of a namespace that a network fault could leave behind, counters aside. */
export async function stateOf(namespacePath: string): Promise<string> {
  const inside = (...command: string[]) => runInside(namespacePath, ...command)
  const texts = await Promise.all([
    inside('nft', '-s', 'list', 'ruleset'),
    inside('ip', '-d', 'link'),
    inside('ip', 'rule'),
    inside('tc', 'qdisc'),
    queuesIn(namespacePath),
  ])
  return texts.join('\n')
}

/** A line for each queue of packets: its number, whose it is and what is copied, without counters. */
async function queuesIn(namespacePath: string): Promise<string> {
  const text = await runInside(namespacePath, 'cat', queuesPath)
  const queues = text.split('\n').map((line) => line.trim().split(/\s+/))
  return queues
    .map(([number, owner, _waiting, mode, range]) => [number, owner, mode, range].join(' '))
    .join('\n')
}

/** @throws Error when helper processes of this agent live */
export function refuseHelpers(instanceId: string): void {
  const left = helpersOf(instanceId)
  if (left.length > 0)
    throw new Error(`Left behind: ${left.map(({ command }) => command).join('; ')}`)
}

/** @throws Error when something of an attack is left in the namespace, or a helper process lives */
export async function refuseLeftovers(
  namespacePath: string,
  before: string,
  instanceId: string,
): Promise<void> {
  refuseHelpers(instanceId)
  const after = await stateOf(namespacePath)
  if (after !== before) throw new Error(`Before:\n${before}\nAfter:\n${after}`)
}
