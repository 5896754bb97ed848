/**
 * Traffic for tests, as a process in a network namespace. Started as `network-traffic.ts <what> …`;
 * says what it saw on stdout, one JSON object a line.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const ports = { echo: 9000, connect: 9001, count: 9002, flow: 9003 }

/** The local address to send from; undefined for what the routes give. */
type From = string | undefined

function say(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

function sorted(values: number[]): number[] {
  return values.sort((a, b) => a - b)
}

/** Answers UDP, accepts TCP, and sends a TCP flow as fast as it can, until stdin ends. */
async function serve(): Promise<void> {
  const echo = createSocket('udp6')
  echo.on('message', (data, { port, address }) => echo.send(data, port, address))
  echo.bind(ports.echo, '::')
  const accept = createServer((socket) => socket.on('error', () => undefined).end())
  accept.listen(ports.connect, '::')
  const block = Buffer.alloc(256 * 1024)
  const flow = createServer((socket) => {
    const fill = () => {
      while (socket.writable && socket.write(block));
    }
    socket.on('error', () => undefined).on('drain', fill)
    fill()
  })
  flow.listen(ports.flow, '::')
  await Promise.all([echo, accept, flow].map((server) => once(server, 'listening')))
  say({ ready: true })
  process.stdin.resume().on('end', () => process.exit())
}

/** Milliseconds that TCP connections take, one after the other. */
async function connectTimes(host: string, count: number, from: From): Promise<void> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const at = performance.now()
    const socket = connect({ port: ports.connect, host, ...(from && { localAddress: from }) })
    await once(socket, 'connect')
    times.push(performance.now() - at)
    socket.destroy()
  }
  say({ times: sorted(times) })
}

/** Milliseconds from sending to echo of UDP packets that are sent at a steady pace. */
async function echoTimes(
  address: string,
  count: number,
  everyMs: number,
  from: From,
): Promise<void> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  if (from) socket.bind(0, from)
  const times: number[] = []
  const done = Promise.withResolvers<void>()
  socket.on('message', (data) => {
    times.push(performance.now() - data.readDoubleLE())
    if (times.length === count) done.resolve()
  })
  let sent = 0
  const timer = setInterval(() => {
    const data = Buffer.alloc(8)
    data.writeDoubleLE(performance.now())
    socket.send(data, ports.echo, address)
    if (++sent < count) return
    clearInterval(timer)
    // What has not come back by then is lost.
    setTimeout(done.resolve, 3000).unref()
  }, everyMs)
  await done.promise
  socket.close()
  say({ sent, times: sorted(times) })
}

/** Counts UDP packets and how long they took, until all came or none for three seconds. */
function countPackets(total: number): void {
  const socket = createSocket('udp4')
  const delays: number[] = []
  let [reordered, last] = [0, -1]
  let idle: NodeJS.Timeout | undefined
  const finish = () => {
    sorted(delays)
    const at = (share: number) => delays[Math.floor(share * delays.length)]
    say({ received: delays.length, reordered, p50: at(0.5), p99: at(0.99) })
    process.exit()
  }
  socket.on('message', (data) => {
    delays.push(Number(process.hrtime.bigint() - data.readBigUInt64LE()) / 1e6)
    const number = data.readUInt32LE(8)
    if (number < last) reordered++
    last = number
    if (delays.length === total) finish()
    idle = idle?.refresh() ?? setTimeout(finish, 3000)
  })
  socket.bind(ports.count, () => say({ ready: true }))
}

/** Sends UDP packets at a steady rate. */
async function send(address: string, total: number, perSecond: number): Promise<void> {
  const socket = createSocket('udp4')
  socket.connect(ports.count, address)
  await once(socket, 'connect')
  const startedAt = performance.now()
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, ((performance.now() - startedAt) / 1000) * perSecond)
    for (; sent < due; sent++) {
      const data = Buffer.alloc(64)
      data.writeBigUInt64LE(process.hrtime.bigint())
      data.writeUInt32LE(sent, 8)
      socket.send(data)
    }
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  socket.close()
  say({ perSecond: Math.round((total * 1000) / (performance.now() - startedAt)) })
}

/** Megabits a second that TCP flows bring, after a second to get going. */
async function pull(address: string, flows: number, seconds: number): Promise<void> {
  let bytes = 0
  for (let index = 0; index < flows; index++)
    connect(ports.flow, address).on('data', (data) => (bytes += data.length))
  await sleep(2000)
  const [before, at] = [bytes, performance.now()]
  await sleep(seconds * 1000)
  say({ megabits: Math.round(((bytes - before) * 8) / 1000 / (performance.now() - at)) })
  process.exit()
}

const [what, address = '', a = '0', b = '0', c] = process.argv.slice(2)
const commands: Record<string, () => unknown> = {
  serve,
  count: () => countPackets(Number(address)),
  connect: () => connectTimes(address, Number(a), b === '0' ? undefined : b),
  echo: () => echoTimes(address, Number(a), Number(b), c),
  send: () => send(address, Number(a), Number(b)),
  pull: () => pull(address, Number(a), Number(b)),
}
await commands[what ?? '']?.()
