import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../agent/network/delay-times.ts'
import type { Lab } from './network-lab.ts'
import type { Way } from './network-ways.ts'

const askedDelaysMs = [1, 10, 100, 1000]
/** So long after the last packet was sent, echoes are still awaited. */
const patienceSeconds = 5

/** Echoes of ICMP, which the far kernel answers: how long they took, in ms. */
export interface RoundTrips {
  /** Echoes that are missing before the last one that came. */
  readonly lost: number
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
  /** Until what a fault starts beside itself has started: it takes processor time from the packets. */
  readonly settleMs: number
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
      const delayed = await way.during(askedMs, async () => {
        await sleep(options.settleMs)
        return roundTrips(lab, options)
      })
      seen.push({ way: way.name, askedMs, normal, delayed })
    }
  return seen
}

/** By busybox, whose ping is the lightest and tells thousandths of a millisecond. */
async function roundTrips(lab: Lab, { count, everyMs }: AccuracyOptions): Promise<RoundTrips> {
  const many = ['-c', String(count), '-i', String(everyMs / 1000), '-W', String(patienceSeconds)]
  const text = await lab.exec('near', 'busybox', 'ping', ...many, lab.pair.chosen)
  const echoes = [...text.matchAll(/ seq=(\d+) .* time=([\d.]+) ms/g)]
  const times = echoes.map(([, , ms]) => Number(ms))
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  if (p50 === undefined || p99 === undefined) throw new Error(`No echo of ${count} came back.`)
  // It may end before the very last one comes.
  const last = Math.max(...echoes.map(([, number]) => Number(number)))
  return { lost: last + 1 - times.length, p50, p99 }
}
