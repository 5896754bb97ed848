/**
 * The process that delays packets: it takes them from a queue of the kernel and lets each go after a
 * given time. Started as `delay-queue.ts <marker> <order as JSON>` in the network namespace where it
 * acts. It ends by itself, whatever becomes of its agent: when stdin closes, when nothing came on
 * stdin for `silenceMs`, at its deadline, when the target's first process is gone. Then it lets all
 * packets go. When it is killed the kernel drops those it held, and lets later ones by (bypass).
 */
import { readSync, writeFileSync, writeSync } from 'node:fs'
import { setPriority } from 'node:os'
import { isAlive, type ProcessIdentity } from '../../host/processes.ts'
import type { HeldTimes } from './lateness.ts'
import { PacketQueue } from './packet-queue.ts'
import type { QueueRule } from './queue-messages.ts'
import { createPoller, sharpenTimers } from './system-calls.ts'

/** What the agent tells the delay queue. */
export interface DelayOrder {
  /** 0 to 65535; one for each attack. */
  readonly queueNumber: number
  readonly delayMs: number
  /** How long to delay packets, from the moment it says that it is ready. */
  readonly lengthMs: number
  /** How long it may hear nothing from its agent. */
  readonly silenceMs: number
  /** The most packets held at a time; those beyond it are dropped, as a full router would. */
  readonly maxPackets: number
  /** The chain to which it adds the rule for its queue; null when such a rule is there already. */
  readonly rule: QueueRule | null
  readonly target: ProcessIdentity | null
}

/** Totals since the start, and how long packets were held. */
export interface DelayStats {
  /** Packets that were let go. */
  readonly packets: number
  /** Packets that the kernel had no room for. */
  readonly dropped: number
  /** Packets that are held now. */
  readonly backlog: number
  /** Over the last second, and since the start; null when there were none. */
  readonly heldMs: HeldTimes | null
  readonly wholeHeldMs: HeldTimes | null
}

/** What the delay queue says on stdout, one JSON object a line. */
export interface DelayLine extends Partial<DelayStats> {
  readonly ready?: true
  readonly ended?: 'deadline' | 'silence' | 'target'
  readonly refused?: string
}

const reportEveryMs = 1000
/** How often it looks after its agent and its target. */
const lookEveryMs = 100
/** Above ordinary work, so that packets go on time on a busy host. */
const priority = -10
const packetsReady = 0
const wordsReady = 1

/** Holds packets and lets them go, until there is a reason to end. @returns undefined when asked */
function serve(queue: PacketQueue, order: DelayOrder): DelayLine['ended'] {
  const poller = createPoller([queue.socket.fd, 0])
  const words = Buffer.alloc(256)
  const deadline = performance.now() + order.lengthMs
  let heardAt = performance.now()
  let lookAt = heardAt
  let reportAt = heardAt + reportEveryMs
  for (;;) {
    const dueAt = queue.release()
    poller.wait(Math.max(0, Math.min(dueAt, lookAt, deadline) - performance.now()))
    if (poller.isReady(packetsReady)) queue.takeIn()
    if (poller.isReady(wordsReady)) {
      if (!hears(words)) return undefined
      heardAt = performance.now()
    }
    const now = performance.now()
    if (now >= deadline) return 'deadline'
    if (now < lookAt) continue
    lookAt = now + lookEveryMs
    if (now - heardAt > order.silenceMs) return 'silence'
    if (order.target && !isAlive(order.target)) return 'target'
    if (now < reportAt) continue
    reportAt = now + reportEveryMs
    report(queue)
  }
}

/** Reads what the agent wrote. @returns false when it wants the end, or is gone */
function hears(words: Buffer): boolean {
  try {
    const length = readSync(0, words)
    return length > 0 && !words.subarray(0, length).includes('q')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN'
  }
}

function report(queue: PacketQueue): void {
  say({
    packets: queue.packets,
    ...queue.counters(),
    heldMs: queue.latest.heldTimes() ?? null,
    wholeHeldMs: queue.whole.heldTimes() ?? null,
  })
  queue.latest.reset()
}

function say(line: DelayLine): void {
  try {
    writeSync(1, `${JSON.stringify(line)}\n`)
  } catch {
    // The agent is gone; ending is all that matters.
  }
}

function prepareProcess(): void {
  // The first to go when memory is short: without it traffic is as it was.
  writeFileSync('/proc/self/oom_score_adj', '1000')
  sharpenTimers()
  try {
    setPriority(priority)
  } catch {
    // Not allowed; packets may go a little later on a busy host.
  }
}

function main(order: DelayOrder): void {
  prepareProcess()
  const queue = new PacketQueue(order.queueNumber, order.delayMs, order.maxPackets)
  if (order.rule) queue.addRule(order.rule)
  say({ ready: true })
  const ended = serve(queue, order)
  queue.letAllGo()
  report(queue)
  if (ended) say({ ended })
}

try {
  main(JSON.parse(process.argv[3] ?? '{}') as DelayOrder)
} catch (error) {
  say({ refused: error instanceof Error ? error.message : String(error) })
}
// Nothing else is to be waited for; the kernel frees the queue with the process.
process.exit()
