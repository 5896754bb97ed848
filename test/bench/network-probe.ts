/**
 * Asks a UDP echo again and again, to see to the packet when a fault begins and ends. Started as
 * `network-probe.ts <address> <ms between packets>`; each line on stdin is answered with what it has
 * seen since the one before: a JSON list of packets on one line. It ends when stdin does.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { clockMs } from './network-clock.ts'

/** When it was sent, on the monotonic clock, and how long the echo took; null when none came. */
export type ProbedPacket = readonly [sentAtMs: number, tookMs: number | null]

const echoPort = 9000
const [address = '', everyMs = ''] = process.argv.slice(2)
const socket = createSocket('udp4')
socket.connect(echoPort, address)
await once(socket, 'connect')

let first = 0
let seen: [sentAtMs: number, tookMs: number | null][] = []
socket.on('message', (data) => {
  const packet = seen[data.readUInt32LE() - first]
  if (packet) packet[1] = clockMs() - packet[0]
})
setInterval(() => {
  const data = Buffer.alloc(4)
  data.writeUInt32LE(first + seen.length)
  seen.push([clockMs(), null])
  socket.send(data)
}, Number(everyMs))
createInterface({ input: process.stdin })
  .on('line', () => {
    process.stdout.write(`${JSON.stringify(seen)}\n`)
    first += seen.length
    seen = []
  })
  .on('close', () => process.exit())
process.stdout.write('[]\n')
