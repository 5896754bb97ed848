import type { AgentMessage } from '../../proto/gen/temblor/agent/v1/AgentMessage.ts'
import type { ControllerMessage__Output } from '../../proto/gen/temblor/agent/v1/ControllerMessage.ts'
import { loadAgentService } from '../../proto/load.ts'

const { Session: session } = loadAgentService().service

/** Where the stream of an agent is opened. */
export const sessionPath = session.path

/** A flag for compression, which nobody uses, and the length of the message. */
const prefixBytes = 5

/** A message as it goes over the wire. */
export function encodeFrame(message: AgentMessage): Buffer {
  const body = session.requestSerialize(message)
  const frame = Buffer.allocUnsafe(prefixBytes + body.length)
  frame[0] = 0
  frame.writeUInt32BE(body.length, 1)
  frame.set(body, prefixBytes)
  return frame
}

/** Takes a stream of bytes apart into messages, wherever it was cut. */
export class FrameReader {
  #rest: Buffer | undefined

  /** The messages that are complete with these bytes. */
  read(bytes: Buffer): ControllerMessage__Output[] {
    const all = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes
    const messages: ControllerMessage__Output[] = []
    let at = 0
    while (all.length - at >= prefixBytes) {
      const end = at + prefixBytes + all.readUInt32BE(at + 1)
      if (end > all.length) break
      messages.push(session.responseDeserialize(all.subarray(at + prefixBytes, end)))
      at = end
    }
    this.#rest = at < all.length ? all.subarray(at) : undefined
    return messages
  }
}
