import { readProc } from '../../host/processes.ts'
import { HeldPackets } from './held-packets.ts'
import { Lateness } from './lateness.ts'
import { readAnswer } from './netlink.ts'
import {
  acceptUpTo,
  addQueueRule,
  bindQueue,
  idBeyond,
  openQueue,
  packetId,
  setLastId,
  type QueueRule,
} from './queue-messages.ts'
import { errorName, openNetlink, type NetlinkSocket } from './system-calls.ts'

/** What the kernel may keep for us while this process does not run: about 30,000 packets. */
const bufferBytes = 16 * 2 ** 20
/** Packets that are taken in at a time. */
const slotCount = 64
const queuesFile = 'self/net/netfilter/nfnetlink_queue'

/** The queue cannot be served; the message is a plain sentence. */
export class QueueRefusedError extends Error {}

/** Losses and load of a queue, as the kernel counts them. */
export interface QueueCounters {
  /** Packets that were lost because the queue, or the socket behind it, was full. */
  readonly dropped: number
  /** Packets that are in the queue now. */
  readonly backlog: number
}

/** A queue of the kernel whose packets are held for a time and then let go. */
export class PacketQueue {
  readonly socket: NetlinkSocket
  /** Packets that were let go so far. */
  packets = 0
  readonly latest: Lateness
  readonly whole: Lateness
  private readonly queueNumber: number
  private readonly delayMs: number
  private readonly held: HeldPackets
  private readonly accept: Buffer
  private newestId = 0

  /**
   * Takes hold of the queue.
   * @throws QueueRefusedError when it is taken, or not allowed, or the kernel has no queues
   */
  constructor(queueNumber: number, delayMs: number, maxPackets: number) {
    this.queueNumber = queueNumber
    this.delayMs = delayMs
    this.held = new HeldPackets(maxPackets)
    this.latest = new Lateness(delayMs)
    this.whole = new Lateness(delayMs)
    this.accept = acceptUpTo(queueNumber, 0)
    this.socket = openNetlink(slotCount, bufferBytes)
    this.socket.send(bindQueue(queueNumber, maxPackets, 1))
    // The kernel has answered before `send` returns; packets may have come already, too.
    const errno = this.takeIn()
    if (errno) throw new QueueRefusedError(whyNotBound(queueNumber, errorName(errno)))
  }

  /**
   * Adds the rule that brings packets here.
   * @throws QueueRefusedError
   */
  addRule(rule: QueueRule): void {
    const socket = openNetlink(4, 64 * 1024)
    const sequence = 2
    socket.send(addQueueRule(rule, this.queueNumber, sequence))
    const answers = socket.slots.slice(0, socket.receive()).map(readAnswer)
    socket.close()
    const error = answers.find((answer) => answer?.errno)
    if (error) throw new QueueRefusedError(whyNoRule(rule, errorName(error.errno)))
    if (!answers.some((answer) => answer?.sequence === sequence))
      throw new QueueRefusedError(whyNoRule(rule, 'no answer'))
  }

  /**
   * Takes in all packets that wait on the socket.
   * @returns the number of the error, when the kernel told of one
   */
  takeIn(): number {
    let errno = 0
    for (;;) {
      const count = this.socket.receive()
      if (count === 0) return errno
      let packets = 0
      for (let index = 0; index < count; index++) {
        const received = this.socket.slots[index] as DataView
        const id = packetId(received)
        if (id === undefined) errno ||= readAnswer(received)?.errno ?? 0
        else {
          packets++
          this.newestId = id
        }
      }
      if (packets > 0) this.held.add(performance.now(), this.newestId, packets)
      if (count < slotCount) return errno
    }
  }

  /**
   * Lets go what was held for long enough.
   * @returns when the next packets are due, on the clock of performance.now(); Infinity when none
   */
  release(): number {
    const now = performance.now()
    let released = 0
    while (this.held.oldestArrival + this.delayMs <= now) {
      const count = this.held.oldestCount
      const heldMs = now - this.held.oldestArrival
      this.latest.add(heldMs, count)
      this.whole.add(heldMs, count)
      setLastId(this.accept, this.held.oldestLastId)
      this.held.dropOldest()
      released += count
    }
    if (released > 0) {
      this.socket.send(this.accept)
      this.packets += released
    }
    return this.held.oldestArrival + this.delayMs
  }

  /** Lets new packets pass at once, then everything that is held: nothing is lost. */
  letAllGo(): void {
    this.socket.send(openQueue(this.queueNumber, 3))
    this.takeIn()
    setLastId(this.accept, idBeyond(this.newestId))
    this.socket.send(this.accept)
    this.packets += this.held.size
  }

  counters(): QueueCounters {
    const [, , backlog = 0, , , queueDropped = 0, userDropped = 0] =
      queueLine(this.queueNumber) ?? []
    return { dropped: queueDropped + userDropped, backlog }
  }
}

/** The numbers of a queue in the kernel's list of this network namespace. */
function queueLine(queueNumber: number): number[] | undefined {
  return (readProc(queuesFile) ?? '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .find(([number]) => number === queueNumber)
}

function whyNotBound(queueNumber: number, code: string): string {
  if (readProc(queuesFile) === undefined)
    return `this kernel has no packet queues (nfnetlink_queue): ${code}`
  const owner = queueLine(queueNumber)?.[1]
  if (owner !== undefined)
    return `packet queue ${queueNumber} is in use by another process (netlink port ${owner})`
  if (code === 'EPERM') return 'not allowed to use packet queues: CAP_NET_ADMIN is needed'
  return `the kernel refused packet queue ${queueNumber}: ${code}`
}

function whyNoRule({ table, chain }: QueueRule, code: string): string {
  const hint =
    code === 'ENOENT' ? ' (no such chain, or no nft_compat and xt_NFQUEUE in this kernel)' : ''
  return `the kernel refused the queue rule in table inet ${table}, chain ${chain}: ${code}${hint}`
}
