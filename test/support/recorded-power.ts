import type { HostPower, PowerChange } from '../../agent/faults/shutdown-power.ts'

/** Power over no host: it writes down what it is asked for. Every executor in a test is given it. */
export interface RecordedPower extends HostPower {
  /** What it was asked to do, in order: `announce …`, `reboot`, `poweroff`. */
  readonly asked: string[]
  /** Resolves when a host would go down. */
  readonly wentDown: Promise<PowerChange>
}

/** Makes one; without `survived` the host is as good as gone from `goDown` on. */
export function recordedPower(
  options: {
    problem?: string
    /** Called in the place of going down. */
    onGoDown?: (change: PowerChange) => void
    survived?: Promise<string>
    isGoingDown?: boolean
    patienceMs?: number
  } = {},
): RecordedPower {
  const asked: string[] = []
  const wentDown = Promise.withResolvers<PowerChange>()
  return {
    asked,
    wentDown: wentDown.promise,
    patienceMs: options.patienceMs ?? 0,
    problem: () => options.problem,
    announce(text) {
      asked.push(`announce ${text}`)
      return Promise.resolve()
    },
    goDown(change) {
      options.onGoDown?.(change)
      asked.push(change)
      wentDown.resolve(change)
      return Promise.resolve({ survived: options.survived ?? new Promise(() => undefined) })
    },
    isGoingDown: () => Promise.resolve(options.isGoingDown ?? false),
  }
}
