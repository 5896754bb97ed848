/**
 * Messages of NETLINK_NETFILTER, written and read. Headers are in the host's byte order, which is
 * little-endian on every machine that the agent runs on; netfilter's own numbers are big-endian.
 */

/** Subsystems of netfilter and the messages of theirs that are used here. */
export const netfilter = {
  /** nfnetlink_queue. */
  queue: { packet: 0x0300, config: 0x0302, verdictBatch: 0x0303 },
  /** nf_tables. */
  tables: { subsystem: 10, newRule: 0x0a06 },
  batch: { begin: 0x0010, end: 0x0011 },
} as const

export const messageFlags = { request: 1, acknowledge: 4, create: 0x400, append: 0x800 } as const
const errorMessageType = 2
/** Of `struct nlmsghdr` and of `struct nfgenmsg`, which follows it. */
const headerBytes = 16
const genericBytes = 4
const nestedFlag = 0x8000

/** What stands before the attributes of a message. */
export interface MessageHead {
  readonly type: number
  readonly flags: number
  readonly sequence: number
  /** The protocol family, as NFPROTO_INET. */
  readonly family: number
  /** `res_id`: a queue's number, or the subsystem of a batch. */
  readonly resource: number
}

/** A whole netlink message for netfilter. */
export function message(head: MessageHead, ...attributes: readonly Buffer[]): Buffer {
  const bytes = Buffer.alloc(headerBytes + genericBytes)
  const length = attributes.reduce((sum, one) => sum + one.length, bytes.length)
  bytes.writeUInt32LE(length, 0)
  bytes.writeUInt16LE(head.type, 4)
  bytes.writeUInt16LE(head.flags | messageFlags.request, 6)
  bytes.writeUInt32LE(head.sequence, 8)
  bytes.writeUInt8(head.family, headerBytes)
  bytes.writeUInt16BE(head.resource, headerBytes + 2)
  return Buffer.concat([bytes, ...attributes])
}

/** An attribute; padded to four bytes, as netlink wants it. */
export function attribute(type: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(align(4 + value.length))
  bytes.writeUInt16LE(4 + value.length, 0)
  bytes.writeUInt16LE(type, 2)
  value.copy(bytes, 4)
  return bytes
}

/** An attribute that holds attributes. */
export function nested(type: number, ...attributes: readonly Buffer[]): Buffer {
  return attribute(type | nestedFlag, Buffer.concat(attributes))
}

/** A number of 32 bits in network order. */
export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A text with the zero that ends it. */
export function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

/** What the kernel answered: 0 for "done", else the number of the error. */
export interface Answer {
  readonly sequence: number
  readonly errno: number
}

/** The kernel's answer, when this message is one. */
export function readAnswer(received: DataView): Answer | undefined {
  if (received.getUint16(4, true) !== errorMessageType) return undefined
  return {
    sequence: received.getUint32(8, true),
    errno: -received.getInt32(headerBytes, true),
  }
}

/** Where the value of an attribute lies in a netfilter message; -1 when it has no such attribute. */
export function attributeOffset(received: DataView, type: number): number {
  const end = Math.min(received.getUint32(0, true), received.byteLength)
  let offset = headerBytes + genericBytes
  while (offset + 4 <= end) {
    const length = received.getUint16(offset, true)
    if ((received.getUint16(offset + 2, true) & ~nestedFlag) === type) return offset + 4
    if (length < 4) return -1
    offset += align(length)
  }
  return -1
}

function align(length: number): number {
  return (length + 3) & ~3
}
