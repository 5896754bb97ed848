import { startHelper } from '../host/helper-process.ts'
import type { BurnerLine, BurnOrder } from './cpu-burner.ts'
import type { FaultDeath } from './fault.ts'

/** A burner that is not burning by then (beyond its warm-up) has failed. */
const startTimeoutMs = 30_000

/** CPU seconds over wall seconds, as the burner itself counted them. */
export interface BurnerUsage {
  readonly cpuSeconds: number
  readonly wallSeconds: number
}

/** A burner that burns. */
export interface BurnerProcess {
  readonly pid: number
  readonly died: Promise<FaultDeath>
  /** Known once it ended by its deadline. */
  finalUsage(): BurnerUsage | undefined
  stop(): Promise<void>
}

/**
 * Starts a burner and resolves when it burns.
 * @throws FaultError when it cannot, or `signal` is aborted; then it is gone
 */
export async function spawnBurner(
  marker: string,
  order: BurnOrder,
  signal: AbortSignal,
): Promise<BurnerProcess> {
  let usage: BurnerUsage | undefined
  const helper = await startHelper<BurnerLine>({
    program: 'cpu-burner',
    title: 'The CPU burner',
    args: [marker, JSON.stringify(order)],
    startTimeoutMs: startTimeoutMs + order.warmUpMs,
    isReady: ({ burning }) => burning === true,
    onLine({ cpuSeconds, wallSeconds }) {
      if (cpuSeconds !== undefined && wallSeconds !== undefined) usage = { cpuSeconds, wallSeconds }
    },
    signal,
  })
  return {
    pid: helper.pid,
    died: helper.died,
    finalUsage: () => usage,
    stop: () => helper.end(0),
  }
}
