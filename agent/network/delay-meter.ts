import type { FaultContext, FaultDeath, Measurement } from '../faults/fault.ts'
import { DelayTimes } from './delay-times.ts'
import { startObserver, type Observer } from './observer/observer-process.ts'
import { choosePeers } from './peers.ts'
import { markerOf, type TargetTraffic } from './target-traffic.ts'

/** Beyond the delay itself. */
const connectTimeoutMs = 3000
/** MySQL blocks a host after a hundred connections that said nothing. */
const maximumRoundsToPrograms = 20

/** What the mechanism of a delay knows itself. */
export interface DelayFigures {
  readonly delayedPackets: number
  readonly droppedPackets: number
  /** How long packets were really held, in ms; undefined when the mechanism does not say. */
  readonly heldMs?: number
}

/** Measures a delay as a client of the target's peers sees it. */
export interface DelayMeter {
  measure(figures: DelayFigures): Measurement | undefined
  /** Resolves when what measures is killed: a delay that nobody watches must not go on. */
  readonly died: Promise<FaultDeath>
  close(): Promise<void>
}

/**
 * Connects to peers whose traffic is delayed, and by a spared port to compare, for as long as the
 * fault lasts. It does not wait for any of that: the fault is in force meanwhile.
 */
export function startDelayMeter(
  traffic: TargetTraffic,
  delayMs: number,
  context: FaultContext,
): DelayMeter {
  const startedAt = performance.now()
  const times = new DelayTimes()
  const closing = new AbortController()
  const death = Promise.withResolvers<FaultDeath>()
  // A target that is gone meanwhile, or a busy host: then the delay goes on and is not measured.
  const watching = watchPeers(traffic, delayMs, context, closing.signal, times).catch(
    () => traffic.observer,
  )
  void watching.then((observer) => observer?.died.then(death.resolve))
  // Nobody waits for it before the end: an observer that does not start must not end the agent.
  watching.catch(() => undefined)
  return {
    died: death.promise,
    measure: (figures) => measurement(figures, times, performance.now() - startedAt),
    async close() {
      closing.abort()
      await (await watching)?.close()
    },
  }
}

async function watchPeers(
  traffic: TargetTraffic,
  delayMs: number,
  context: FaultContext,
  signal: AbortSignal,
  times: DelayTimes,
): Promise<Observer | undefined> {
  const { plan, namespace } = traffic
  const peers = await choosePeers(plan, namespace)
  if (peers.length === 0 || plan.sparedLocalPort === undefined) return traffic.observer
  const observer =
    traffic.observer ?? (await startObserver(namespace, markerOf(context, traffic), signal))
  const order = {
    peers,
    sparedLocalPort: plan.sparedLocalPort,
    maximumRounds:
      plan.remotePorts.only.length > 0 ? maximumRoundsToPrograms : Number.MAX_SAFE_INTEGER,
    timeoutMs: delayMs + connectTimeoutMs,
  }
  observer.watchConnects(order, (one) => times.add(one))
  return observer
}

function measurement(
  figures: DelayFigures,
  times: DelayTimes,
  wholeMs: number,
): Measurement | undefined {
  const { delayedPackets, droppedPackets, heldMs } = figures
  const seen = times.figures
  const addedMs = seen?.addedMs ?? heldMs
  const packets = { delayed_packets: delayedPackets, dropped_packets: droppedPackets }
  // Nobody answers, and the mechanism does not say: then what passed is all that is known.
  if (addedMs === undefined && delayedPackets === 0) return undefined
  const effect =
    addedMs === undefined
      ? { metric: 'delayed', value: delayedPackets, unit: 'packets', detail: packets }
      : {
          metric: 'added_delay',
          value: addedMs,
          unit: 'ms',
          detail: {
            ...packets,
            ...(heldMs === undefined ? {} : { held_ms: heldMs }),
            ...(seen
              ? {
                  p99_ms: seen.p99Ms,
                  normal_ms: seen.normalMs,
                  probes: seen.probes,
                  unanswered_probes: seen.unanswered,
                }
              : {}),
          },
        }
  return { latest: effect, whole: effect, wholeMs }
}
