import { randomInt } from 'node:crypto'
import type { FaultContext, FaultHandle, UndoRecord } from '../faults/fault.ts'
import { readProc } from '../host/processes.ts'
import type { NetworkCapability } from './capability.ts'
import { startDelayMeter } from './delay-meter.ts'
import { Gate, holdFor } from './gate.ts'
import { followNames, trafficNotes } from './name-refresh.ts'
import { findNamespace, NamespaceGone, runIn } from './namespace.ts'
import type { DelayOrder } from './netem-delay.ts'
import type { DelayOrder as QueueOrder } from './queue/delay-queue.ts'
import { spawnDelayQueue, type DelayQueueProcess } from './queue/delay-queue-process.ts'
import { buildRuleset, renewScript } from './ruleset.ts'
import { markerOf, type TargetTraffic } from './target-traffic.ts'
import { tableName, undoProcesses, undoTable } from './undo.ts'

/** Before connections are tracked and addresses translated, after fragments are joined. */
const priority = -350
const queueNumbers = { from: 20_000, to: 60_000 }
/** Every packet that has to be held at 20,000 a second for five seconds. */
const maxPackets = 100_000
/** The agent speaks every two seconds; a queue that hears nothing for this long lets go. */
const silenceMs = 10_000
const holdChain = 'hold'

export function queueUndo(traffic: TargetTraffic, context: FaultContext): UndoRecord[] {
  return [undoTable('latency', 'inet', traffic), undoProcesses(context, traffic)]
}

/**
 * Holds what is chosen and comes in, in a queue of the kernel. Never what leaves: a packet that its
 * socket still owns would throttle the connection. When the helper dies, packets pass untouched.
 */
export async function delayByQueue(
  traffic: TargetTraffic,
  { delayMs, names }: DelayOrder,
  context: FaultContext,
  { nftQueue }: NetworkCapability,
): Promise<FaultHandle> {
  const { namespace, plan } = traffic
  const { remainingMs } = context
  const table = tableName('latency', traffic)
  const queueNumber = freeQueue(namespace.pid)
  const rule = nftQueue === undefined ? `queue flags bypass to ${queueNumber}` : ''
  const ruleset = buildRuleset(plan, {
    table,
    family: 'inet',
    priority,
    holdMs: holdFor(remainingMs),
    hooks: [{ direction: 'ingress', verdict: `goto ${holdChain}` }],
    chains: [`  chain ${holdChain} {\n    ${rule}\n  }`],
  })
  await runIn(namespace, 'nft', ['-f', '-'], ruleset)
  const order = {
    queueNumber,
    delayMs,
    lengthMs: remainingMs,
    silenceMs,
    maxPackets,
    rule: nftQueue === undefined ? null : { table, chain: holdChain },
    target: null,
  }
  const queue = await startQueue(traffic, table, order, context)
  const gate = new Gate({ namespace, family: 'inet', table, remainingMs })
  const following = followNames(traffic, names, gate)
  const meter = startDelayMeter(traffic, delayMs, context)
  return {
    died: Promise.race([gate.died, queue.died, meter.died]),
    measure() {
      const stats = queue.stats()
      const heldMs = stats?.wholeHeldMs?.p50
      return meter.measure({
        delayedPackets: stats?.packets ?? 0,
        droppedPackets: stats?.dropped ?? 0,
        ...(heldMs === undefined ? {} : { heldMs }),
      })
    },
    notes: () => trafficNotes(following.addresses, gate),
    async stop() {
      following.close()
      await gate.close()
      await meter.close()
      await queue.stop()
    },
  }
}

/**
 * Starts the helper and gives the rules their time anew: until it was there packets passed, and when
 * it took long the rules have expired.
 */
async function startQueue(
  traffic: TargetTraffic,
  table: string,
  order: QueueOrder,
  context: FaultContext,
): Promise<DelayQueueProcess> {
  const { namespace } = traffic
  const { remainingMs, signal } = context
  const namespacePath = findNamespace(namespace)
  if (namespacePath === undefined) throw new NamespaceGone()
  const queue = await spawnDelayQueue(markerOf(context, traffic), order, { namespacePath, signal })
  try {
    const script = renewScript('inet', table, holdFor(remainingMs))
    await runIn(namespace, 'nft', ['-f', '-'], script)
    return queue
  } catch (error) {
    await queue.stop()
    throw error
  }
}

/** A number that no queue of this namespace has. */
function freeQueue(pid: number): number {
  const lines = (readProc(`${pid}/net/netfilter/nfnetlink_queue`) ?? '').split('\n')
  const taken = new Set(lines.map((line) => Number(line.trim().split(/\s+/)[0])))
  for (;;) {
    const number = randomInt(queueNumbers.from, queueNumbers.to)
    if (!taken.has(number)) return number
  }
}
