/**
 * The process that looks at the network from where the target is: it looks names up and measures how
 * long connecting takes. Started as `observer.ts <marker>` in the target's network namespace; takes
 * requests as JSON lines on stdin and answers on stdout. It ends when stdin closes.
 */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Endpoint } from '../../faults/fault.ts'
import { lookUp } from './name-lookup.ts'

export type ObserverRequest =
  | { readonly lookUp: readonly string[]; readonly root: string }
  | { readonly connect: ConnectOrder }

/** Whom to connect to, again and again: once as everybody does, once from the port that is spared. */
export interface ConnectOrder {
  readonly peers: readonly Endpoint[]
  readonly sparedLocalPort: number
  /** Programs may block a peer that connects too often and says nothing; each round connects twice. */
  readonly maximumRounds: number
  readonly timeoutMs: number
}

export interface ObserverLine {
  readonly ready?: true
  readonly refused?: string
  /** By name; a string is why it could not be looked up. */
  readonly found?: Readonly<Record<string, readonly string[] | string>>
  /** How long the same peer took, in ms; null when it did not answer in time. */
  readonly connected?: { readonly plainMs: number | null; readonly sparedMs: number | null }
}

/** Quickly at first, for short attacks; then now and then. */
const quickRounds = 10
const quickMs = 300
const slowMs = 2000

let observing = false

async function answer(request: ObserverRequest): Promise<void> {
  if ('connect' in request) return observe(request.connect)
  const found = await Promise.all(
    request.lookUp.map(async (name): Promise<[string, string[] | string]> => {
      try {
        return [name, await lookUp(name, request.root)]
      } catch (error) {
        return [name, (error as Error).message]
      }
    }),
  )
  return say({ found: Object.fromEntries(found) })
}

async function observe(order: ConnectOrder): Promise<void> {
  if (observing) return
  observing = true
  const [first] = order.peers
  // The first connection of a new process takes longer by itself, which says nothing about the path.
  if (first) await timeToConnect(first, order, order.sparedLocalPort)
  for (let round = 0; round < order.maximumRounds; round += 1) {
    const startedAt = performance.now()
    const peer = order.peers[round % order.peers.length]
    if (!peer) return
    // Each peer anew, the ways take turns: the first one waits longer for a process that has slept.
    const isPlainFirst = Math.floor(round / order.peers.length) % 2 === 1
    say({ connected: await timeBothWays(peer, order, isPlainFirst) })
    const everyMs = round < quickRounds ? quickMs : slowMs
    await sleep(Math.max(0, everyMs - (performance.now() - startedAt)))
  }
}

async function timeBothWays(
  peer: Endpoint,
  order: ConnectOrder,
  isPlainFirst: boolean,
): Promise<NonNullable<ObserverLine['connected']>> {
  if (isPlainFirst) {
    const plainMs = await timeToConnect(peer, order)
    return { plainMs, sparedMs: await timeToConnect(peer, order, order.sparedLocalPort) }
  }
  const sparedMs = await timeToConnect(peer, order, order.sparedLocalPort)
  return { sparedMs, plainMs: await timeToConnect(peer, order) }
}

/** A refusal is an answer too, and took the same way. */
function timeToConnect(
  peer: Endpoint,
  { timeoutMs }: ConnectOrder,
  localPort?: number,
): Promise<number | null> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const socket = connect({
      host: peer.address,
      port: peer.port,
      ...(localPort === undefined ? {} : { localPort }),
    })
    const finish = (tookMs: number | null) => {
      clearTimeout(timer)
      // A reset leaves nothing behind on either side.
      socket.resetAndDestroy()
      resolve(tookMs)
    }
    const timer = setTimeout(() => finish(null), timeoutMs)
    socket.once('connect', () => finish(performance.now() - startedAt))
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      finish(code === 'ECONNREFUSED' ? performance.now() - startedAt : null),
    )
  })
}

function say(line: ObserverLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

process.stdin.once('end', () => process.exit())
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.startsWith('{')) void answer(JSON.parse(line) as ObserverRequest)
})
say({ ready: true })
