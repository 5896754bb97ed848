import { setTimeout as sleep } from 'node:timers/promises'
import type { Sides } from '../../shared/attacks/network/selector.ts'
import {
  FaultError,
  type FaultContext,
  type FaultHandle,
  type UndoRecord,
} from '../faults/fault.ts'
import { startDelayMeter } from './delay-meter.ts'
import { Gate, holdFor } from './gate.ts'
import { makeDelay, readDelay, removeLink, type QueueFigures } from './link.ts'
import { followNames, trafficNotes } from './name-refresh.ts'
import { runIn } from './namespace.ts'
import { buildRuleset } from './ruleset.ts'
import type { TargetTraffic } from './target-traffic.ts'
import { linkName, tableName, undoLink, undoProcesses, undoTable } from './undo.ts'

export interface DelayOrder {
  readonly delayMs: number
  /** Names whose addresses are kept current. */
  readonly names: Sides
}

/** After a user's own rules at the same place, which it would keep packets from, and a blackhole. */
const priority = 300
/** Packets that wait when the attack ends are still delivered within this time; later ones are lost. */
const drainMs = 2000
const lookEveryMs = 50
const figuresEveryMs = 2000

export function netemUndo(traffic: TargetTraffic, context: FaultContext): UndoRecord[] {
  return [
    undoLink(traffic),
    undoTable('latency', 'netdev', traffic),
    undoProcesses(context, traffic),
  ]
}

/**
 * Packets that go through our device do not pass a user's own filters at the device they leave by:
 * where there are any, nothing is done.
 * @throws FaultError
 */
export async function refuseForeignFilters({ namespace, plan }: TargetTraffic): Promise<void> {
  for (const device of plan.devices) {
    const text = await runIn(namespace, 'tc', ['-j', 'filter', 'show', 'dev', device, 'egress'])
    if ((JSON.parse(text.trim() || '[]') as unknown[]).length > 0)
      throw new FaultError(
        'unsupported',
        `There are tc filters for what leaves by ${device} (tc filter show dev ${device} egress); delayed packets would go past them.`,
      )
  }
}

/** Sends what is chosen through a device of ours with netem; the device's own queue stays as it is. */
export async function delayByNetem(
  traffic: TargetTraffic,
  { delayMs, names }: DelayOrder,
  context: FaultContext,
): Promise<FaultHandle> {
  const { namespace, plan, devices } = traffic
  const { remainingMs } = context
  const [link, table] = [linkName(traffic), tableName('latency', traffic)]
  await makeDelay(namespace, link, delayMs)
  const ruleset = buildRuleset(plan, {
    table,
    family: 'netdev',
    priority,
    holdMs: holdFor(remainingMs),
    hooks: [{ direction: 'egress', verdict: `fwd to "${link}"` }],
  })
  await runIn(namespace, 'nft', ['-f', '-'], ruleset)
  const gate = new Gate({
    namespace,
    family: 'netdev',
    table,
    remainingMs,
    hooked: devices,
    own: { link, kind: 'netem' },
  })
  const following = followNames(traffic, names, gate)
  const meter = startDelayMeter(traffic, delayMs, context)
  let figures: QueueFigures = { packets: 0, dropped: 0, waiting: 0 }
  // When somebody has removed it, nothing waits there any more; the gate sees it.
  const look = async () =>
    (figures = await readDelay(namespace, link).catch(() => ({ ...figures, waiting: 0 })))
  const timer = setInterval(() => void look(), figuresEveryMs)
  return {
    died: Promise.race([gate.died, meter.died]),
    measure: () =>
      meter.measure({ delayedPackets: figures.packets, droppedPackets: figures.dropped }),
    notes: () => trafficNotes(following.addresses, gate),
    async stop() {
      clearInterval(timer)
      following.close()
      await gate.close()
      await meter.close()
      await drain(look, delayMs)
      await removeLink(namespace, link)
    },
  }
}

/** Lets what waits in the queue go out on time: new packets pass it by already. */
async function drain(look: () => Promise<QueueFigures>, delayMs: number): Promise<void> {
  const until = performance.now() + Math.min(delayMs, drainMs) + lookEveryMs
  while ((await look()).waiting > 0 && performance.now() < until) await sleep(lookEveryMs)
}
