import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../agent/network/delay-times.ts'
import type { Lab } from './network-lab.ts'
import type { Way } from './network-ways.ts'

const askedDelaysMs = [1, 10, 100, 1000]
const settleMs = 200

/** UDP round trips: how many packets came back, and how long they took, in ms. */
export interface RoundTrips {
  readonly sent: number
  readonly returned: number
  readonly p50: number
  readonly p99: number
}

/** What was asked, and round trips right before it and with it. */
export interface DelaySeen {
  readonly way: string
  readonly askedMs: number
  readonly normal: RoundTrips
  readonly delayed: RoundTrips
}

export interface AccuracyOptions {
  readonly count: number
  readonly everyMs: number
}

/** Delays round trips in each way by each delay. */
export async function measureAccuracy(
  lab: Lab,
  ways: readonly Way[],
  options: AccuracyOptions,
  onDelay: (way: Way, delayMs: number) => void = () => undefined,
): Promise<DelaySeen[]> {
  const seen: DelaySeen[] = []
  for (const askedMs of askedDelaysMs)
    for (const way of ways) {
      onDelay(way, askedMs)
      const normal = await roundTrips(lab, options)
      const delayed = await way.during(askedMs, () => roundTrips(lab, options))
      seen.push({ way: way.name, askedMs, normal, delayed })
    }
  return seen
}

async function roundTrips(lab: Lab, { count, everyMs }: AccuracyOptions): Promise<RoundTrips> {
  await sleep(settleMs)
  const echo = ['echo', lab.pair.chosen, count, everyMs] as const
  const { sent, times } = await lab.pair.see<{ sent: number; times: number[] }>(...echo)
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  if (p50 === undefined || p99 === undefined) throw new Error(`None of ${sent} packets came back.`)
  return { sent, returned: times.length, p50, p99 }
}
