import { startHelper } from '../../host/helper-process.ts'
import type { FaultDeath } from '../../faults/fault.ts'
import type { DelayLine, DelayOrder, DelayStats } from './delay-queue.ts'

const startTimeoutMs = 30_000
/** It speaks every second. One that is frozen holds packets for good; killed, it heals the traffic. */
const quietMs = 3000
const stopGraceMs = 1000

/** A delay queue that delays. */
export interface DelayQueueProcess {
  readonly pid: number
  readonly died: Promise<FaultDeath>
  /** What it last said, at most a second old, or its final word; undefined before the first. */
  stats(): DelayStats | undefined
  /** Lets all packets go, those that are held too; any number of times. */
  stop(): Promise<void>
}

/**
 * Starts a delay queue and resolves when it delays packets.
 * @param marker the argument by which it is found again
 * @param options.namespacePath the network namespace where it acts; undefined for the agent's own
 * @throws FaultError when it cannot, or `signal` is aborted; then it is gone
 */
export async function spawnDelayQueue(
  marker: string,
  order: DelayOrder,
  options: { readonly namespacePath: string | undefined; readonly signal: AbortSignal },
): Promise<DelayQueueProcess> {
  let stats: DelayStats | undefined
  const helper = await startHelper<DelayLine>({
    program: 'delay-queue',
    title: 'The delay queue',
    args: [marker, JSON.stringify(order)],
    startTimeoutMs,
    quietMs,
    isReady: ({ ready }) => ready === true,
    onLine(line) {
      if (line.packets !== undefined) stats = line as DelayStats
    },
    ...options,
  })
  return {
    pid: helper.pid,
    died: helper.died,
    stats: () => stats,
    async stop() {
      helper.write('q')
      await helper.end(stopGraceMs)
    },
  }
}
