import {
  attribute,
  attributeOffset,
  message,
  messageFlags,
  netfilter,
  nested,
  number32,
  text,
} from './netlink.ts'

/** The rule that sends packets to a queue: at the end of an nft chain of family inet. */
export interface QueueRule {
  readonly table: string
  readonly chain: string
}

// From <linux/netfilter/nfnetlink_queue.h>.
const config = { command: 1, params: 2, maxLength: 3, mask: 4, flags: 5 } as const
const command = { bind: 1 } as const
const copyMetaData = 1
const queueFlags = { failOpen: 1, segmentsWhole: 4 } as const
const packetHeader = 1
const verdictHeader = 2
const accept = 1
// From <linux/netfilter/nf_tables.h>, nf_tables_compat.h and xt_NFQUEUE.h.
const familyInet = 1
const rule = { table: 1, chain: 2, expressions: 4 } as const
const listElement = 1
const expression = { name: 1, data: 2 } as const
const target = { name: 1, revision: 2, info: 3 } as const
const bypass = 1
/** Ids count up and wrap; this far ahead is beyond every packet that can be held. */
const farAhead = 2 ** 30

/**
 * Takes hold of a queue and says what to deliver: packet numbers without contents, big segments in
 * one piece (else the kernel cuts them up in software first), and at most `maxPackets` held at a
 * time. One message, because packets for a queue that is bound but not set up are dropped. The kernel
 * answers EPERM when another process has the queue.
 */
export function bindQueue(queueNumber: number, maxPackets: number, sequence: number): Buffer {
  return configure(
    queueNumber,
    sequence,
    attribute(config.command, Buffer.from([command.bind, 0, 0, 0])),
    attribute(config.params, Buffer.from([0, 0, 0, 0, copyMetaData])),
    attribute(config.maxLength, number32(maxPackets)),
    attribute(config.mask, number32(queueFlags.segmentsWhole)),
    attribute(config.flags, number32(queueFlags.segmentsWhole)),
  )
}

/** From here on new packets pass at once: a queue that may hold none and lets the rest by. */
export function openQueue(queueNumber: number, sequence: number): Buffer {
  return configure(
    queueNumber,
    sequence,
    attribute(config.maxLength, number32(0)),
    attribute(config.mask, number32(queueFlags.failOpen)),
    attribute(config.flags, number32(queueFlags.failOpen)),
  )
}

function configure(queueNumber: number, sequence: number, ...attributes: Buffer[]): Buffer {
  const { config: type } = netfilter.queue
  const flags = messageFlags.acknowledge
  return message({ type, flags, sequence, family: 0, resource: queueNumber }, ...attributes)
}

/** The verdict ACCEPT for all packets up to one. */
export function acceptUpTo(queueNumber: number, lastId: number): Buffer {
  return message(
    { type: netfilter.queue.verdictBatch, flags: 0, sequence: 0, family: 0, resource: queueNumber },
    attribute(verdictHeader, Buffer.concat([number32(accept), number32(lastId >>> 0)])),
  )
}

/** Writes another id into a message of `acceptUpTo`, so that none is made for every verdict. */
export function setLastId(acceptMessage: Buffer, lastId: number): void {
  acceptMessage.writeUInt32BE(lastId >>> 0, acceptMessage.length - 4)
}

/** An id beyond every packet that is held now, so that none is left behind. */
export function idBeyond(lastId: number): number {
  return (lastId + farAhead) >>> 0
}

/** The id of the queued packet that this message is about; undefined when it is about none. */
export function packetId(received: DataView): number | undefined {
  if (received.getUint16(4, true) !== netfilter.queue.packet) return undefined
  const offset = attributeOffset(received, packetHeader)
  return offset < 0 ? undefined : received.getUint32(offset, false)
}

/**
 * A transaction that adds one rule: count, then queue, but let the packet by when nobody serves the
 * queue. It speaks of iptables' target because kernels without CONFIG_NFT_QUEUE have only that one;
 * nft itself cannot write it. The answer to wait for carries `sequence`, or that of the batch.
 */
export function addQueueRule({ table, chain }: QueueRule, queue: number, sequence: number): Buffer {
  const batch = { flags: 0, family: 0, resource: netfilter.tables.subsystem }
  const { acknowledge, create, append } = messageFlags
  return Buffer.concat([
    message({ type: netfilter.batch.begin, sequence: sequence - 1, ...batch }),
    message(
      {
        type: netfilter.tables.newRule,
        flags: acknowledge | create | append,
        sequence,
        family: familyInet,
        resource: 0,
      },
      attribute(rule.table, text(table)),
      attribute(rule.chain, text(chain)),
      nested(
        rule.expressions,
        nested(listElement, attribute(expression.name, text('counter')), nested(expression.data)),
        nested(
          listElement,
          attribute(expression.name, text('target')),
          nested(expression.data, ...queueTarget(queue)),
        ),
      ),
    ),
    message({ type: netfilter.batch.end, sequence: sequence + 1, ...batch }),
  ])
}

function queueTarget(queue: number): Buffer[] {
  // struct xt_NFQ_info_v3, in the host's byte order and aligned to eight bytes.
  const info = Buffer.alloc(8)
  info.writeUInt16LE(queue, 0)
  info.writeUInt16LE(1, 2)
  info.writeUInt16LE(bypass, 4)
  return [
    attribute(target.name, text('NFQUEUE')),
    attribute(target.revision, number32(3)),
    attribute(target.info, info),
  ]
}
