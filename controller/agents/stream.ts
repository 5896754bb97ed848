import { finished } from 'node:stream/promises'
import { Metadata, status, type ServerDuplexStream, type StatusObject } from '@grpc/grpc-js'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { ControllerMessage } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'

export type AgentCall = ServerDuplexStream<AgentMessage__Output, ControllerMessage>

/** So much may wait for a slow agent, as JSON; grpc-js itself would queue without end. */
export const queueLimitBytes = 256 * 1024

/** An agent that takes nothing of what waits for so long is disconnected. */
const stalledAfterMs = 10_000

/** A refusal has this long to arrive before the connection is cut. */
const lastWordMs = 1_000

/** Where an agent that is sent away reads after how many seconds to come back. */
const retryAfterKey = 'retry-after'

/** What an agent hears that is to come back after this time. */
export function sentAway(
  retryAfterMs: number,
  details = 'Too many agents connect at once. Come back later.',
): {
  code: status
  details: string
  metadata: Metadata
} {
  const metadata = new Metadata()
  metadata.set(retryAfterKey, String(retryAfterMs / 1_000))
  return { code: status.UNAVAILABLE, details, metadata }
}

/** The controller's end of an agent's stream, with a bound on what waits to be sent. */
export interface AgentStream {
  /**
   * Hands over one message after the other; what returns a promise is waited for before the next. Resolves when the
   * agent has ended, or `take` says that it wants no more. @throws Error what `take` throws, or why the stream broke
   */
  each(take: Take): Promise<void>
  /** What does not fit any more is left out, and the stream ends: the agent hears it in its next session. */
  send(message: ControllerMessage): void
  /** Says a last word and ends the stream. */
  close(lastWord?: ControllerMessage): void
  /** Ends the stream as UNAVAILABLE; the agent asks again after this time. */
  sendAway(retryAfterMs: number): void
  isOver(): boolean
}

/** Takes a message. Gives false, or a promise of it, for no more of them. */
export type Take = (message: AgentMessage__Output) => Promise<unknown> | false | undefined

/** Wraps a call. An agent that does not read for too long is disconnected; its outbox keeps all. */
export function openStream(call: AgentCall, stalledMs: number = stalledAfterMs): AgentStream {
  let isOver = false
  let isSentAway = false
  const end = () => {
    isOver = true
  }
  call.on('error', end)
  call.on('cancelled', end)
  const cut = (): void => {
    if (isOver) return
    isOver = true
    endNow(call, status.RESOURCE_EXHAUSTED, 'This agent does not read its messages.')
  }
  const queue = watchQueue(stalledMs, cut)
  const send = (message: ControllerMessage): void => {
    if (isOver) return
    const written = queue.add(JSON.stringify(message).length)
    if (written) call.write(message, written)
  }
  return {
    async each(take) {
      await eachMessage(call, take).catch((error: unknown) => {
        if (!isSentAway) throw error
      })
    },
    send,
    isOver: () => isOver,
    sendAway(retryAfterMs) {
      isOver = true
      isSentAway = true
      call.emit('error', sentAway(retryAfterMs))
    },
    close(lastWord) {
      if (lastWord) send(lastWord)
      if (isOver) return
      isOver = true
      call.end()
      setTimeout(() => {
        if (call.writableFinished) call.destroy()
        else endNow(call, status.UNAVAILABLE, 'The session is over.')
      }, lastWordMs).unref()
    },
  }
}

/**
 * Not a loop over the call: the promises of ten thousand loops were much of what the collector of garbage had to keep.
 */
async function eachMessage(call: AgentCall, take: Take): Promise<void> {
  const left = Promise.withResolvers<void>()
  let taking: Promise<void> | undefined
  const goOn = async (taken: Promise<unknown>): Promise<void> => {
    call.pause()
    try {
      if ((await taken) === false) left.resolve()
      else call.resume()
    } catch (error) {
      left.reject(error)
    }
  }
  const onData = (message: AgentMessage__Output): void => {
    try {
      const taken = take(message)
      if (taken) taking = goOn(taken)
      else if (taken === false) {
        call.off('data', onData)
        left.resolve()
      }
    } catch (error) {
      call.off('data', onData)
      left.reject(error)
    }
  }
  call.on('data', onData)
  try {
    await Promise.race([left.promise, finished(call, { writable: false })])
  } finally {
    call.off('data', onData)
    // What it says from now on is not read: its connection holds it back.
    call.pause()
    // It may be what opens the session, which has to be left again.
    await taking
  }
}

/** Counts what waits to be written, and tells when nothing of it goes for too long. */
function watchQueue(stalledMs: number, onStalled: () => void) {
  let waiting = 0
  let isFull = false
  let goneAtMs = 0
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    timer = undefined
    if (waiting === 0) return
    if (isFull || performance.now() - goneAtMs >= stalledMs) onStalled()
    else timer = setTimeout(look, stalledMs).unref()
  }
  return {
    /** What to call when it is written; undefined when it does not fit. */
    add(bytes: number): (() => void) | undefined {
      isFull ||= waiting + bytes > queueLimitBytes
      timer ??= setTimeout(look, stalledMs).unref()
      if (isFull) return undefined
      if (waiting === 0) goneAtMs = performance.now()
      waiting += bytes
      return () => {
        waiting -= bytes
        goneAtMs = performance.now()
        // Something was left out: the next session says it.
        if (isFull && waiting === 0) onStalled()
      }
    },
  }
}

/** Ends a call behind what its connection holds already; `call.end()` would wait until all else is read. */
function endNow(call: AgentCall, code: status, details: string): void {
  const inner = (call as unknown as { call: { sendStatus(status: StatusObject): void } }).call
  inner.sendStatus({ code, details, metadata: new Metadata() })
  call.destroy()
}
