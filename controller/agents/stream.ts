import type { ServerDuplexStream } from '@grpc/grpc-js'
import type { AgentMessage__Output } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { ControllerMessage } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'

export type AgentCall = ServerDuplexStream<AgentMessage__Output, ControllerMessage>

/** Messages that may wait for a slow agent; grpc-js itself would queue without end. */
const queueLimit = 256

/** A refusal has this long to arrive before the connection is cut. */
const lastWordMs = 1_000

/** The controller's end of an agent's stream, with a bound on what waits to be sent. */
export interface AgentStream {
  readonly messages: AsyncIterable<AgentMessage__Output>
  send(message: ControllerMessage): void
  /** Says a last word and ends the stream. */
  close(lastWord?: ControllerMessage): void
}

/** Wraps a call. An agent that does not read for too long is disconnected; its outbox keeps all. */
export function openStream(call: AgentCall): AgentStream {
  let waiting = 0
  let isOver = false
  call.on('drain', () => {
    waiting = 0
  })
  call.on('error', () => {
    isOver = true
  })
  call.on('cancelled', () => {
    isOver = true
  })
  const send = (message: ControllerMessage): void => {
    if (isOver) return
    if (call.write(message)) return
    waiting += 1
    if (waiting <= queueLimit) return
    isOver = true
    call.destroy(new Error('The agent does not read its messages.'))
  }
  return {
    // A loop over the call itself destroys it when the loop is left: then no end of it is ever sent, and
    // the agent believes for as long as its connection lasts that somebody hears it.
    messages: call.iterator({ destroyOnReturn: false }),
    send,
    close(lastWord) {
      if (lastWord) send(lastWord)
      if (isOver) return
      isOver = true
      call.end()
      setTimeout(() => call.destroy(), lastWordMs).unref()
    },
  }
}
