import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'

/** Addresses by name; a name with an error is answered with that error, other names with NXDOMAIN. */
export type NameRecords = Readonly<
  Record<
    string,
    {
      readonly a?: readonly string[]
      readonly aaaa?: readonly string[]
      readonly fails?: 'a' | 'aaaa' | 'both'
    }
  >
>

const types = { 1: 'a', 28: 'aaaa' } as const
const codes = { good: 0, serverFailure: 2, noSuchName: 3 }
const port = 53

/** A name server on port 53 of this network namespace; `answer` replaces what it knows. */
export async function serveNames(): Promise<{ answer(records: NameRecords): void }> {
  let known: NameRecords = {}
  const socket = createSocket('udp6')
  socket.on('message', (query, from) =>
    socket.send(reply(query, known), from.port, from.address, () => undefined),
  )
  socket.bind(port, '::')
  await once(socket, 'listening')
  return {
    answer(records) {
      known = records
    },
  }
}

function reply(query: Buffer, known: NameRecords): Buffer {
  const { name, end } = readName(query)
  const type = types[query.readUInt16BE(end) as 1 | 28]
  const question = query.subarray(12, end + 4)
  const record = known[name]
  const isFailing = record?.fails === 'both' || (type !== undefined && record?.fails === type)
  const addresses = record && type && !isFailing ? (record[type] ?? []) : []
  const code = isFailing ? codes.serverFailure : record ? codes.good : codes.noSuchName
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // An answer to a question that wanted recursion, from a server that offers it.
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  return Buffer.concat([header, question, ...addresses.map((one) => answerOf(one))])
}

/** The name of the first question, and where it ends. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += length + 1
  }
  return { name: labels.join('.'), end: at + 1 }
}

function answerOf(address: string): Buffer {
  const data = isIP(address) === 4 ? Buffer.from(address.split('.').map(Number)) : v6(address)
  const head = Buffer.alloc(12)
  // The name stands at the beginning of the question.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(data.length === 4 ? 1 : 28, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(1, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function v6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function groups(text: string): string[] {
  return text.split(':').filter(Boolean)
}
