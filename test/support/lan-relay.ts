/**
 * Carries TCP connections between two network namespaces through a Unix socket, and serves as a host
 * to talk to. Started as `lan-relay.ts <what> …`; says `ready` when it listens.
 *
 * - `out <port> <socket>`: from the Unix socket to a port of this namespace's loopback
 * - `in <address> <socket>`: from any port of an address to the Unix socket
 * - `echo <address> <port>`: accepts and ends connections
 * - `time <address> <port>`: for each line on stdin, a number of ms, says what connecting takes, or null when nobody
 *   answers within that
 */
import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

const [what, ...args] = process.argv.slice(2) as [string, string, string]

function join(a: Socket, b: Socket): void {
  a.on('error', () => b.destroy()).pipe(b)
  b.on('error', () => a.destroy()).pipe(a)
}

function ready(port: number): void {
  process.stdout.write(`${JSON.stringify({ ready: true, port })}\n`)
}

/** Of so many connections the quickest counts: other work on the machine adds to a time and never takes from it. */
const connections = 3

async function quickestMs(address: string, port: number, withinMs: number): Promise<number | null> {
  const times: number[] = []
  while (times.length < connections) {
    const ms = await timeToConnect(address, port, withinMs)
    if (ms === null) break
    times.push(ms)
  }
  return times.length > 0 ? Math.min(...times) : null
}

function timeToConnect(address: string, port: number, withinMs: number): Promise<number | null> {
  return new Promise((resolve) => {
    const at = performance.now()
    const socket = connect(port, address)
    const finish = (ms: number | null) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(ms)
    }
    // What has come in while this process had to wait for its turn is seen first.
    const timer = setTimeout(() => setImmediate(finish, null), withinMs)
    socket.once('connect', () => finish(performance.now() - at)).on('error', () => finish(null))
  })
}

if (what === 'out') {
  const [port, path] = args
  const server = createServer((socket) => join(socket, connect(Number(port), '127.0.0.1')))
  server.listen(path, () => ready(0))
} else if (what === 'in') {
  const [address, path] = args
  const server = createServer((socket) => join(socket, connect(path)))
  server.listen(0, address, () => ready((server.address() as { port: number }).port))
} else if (what === 'time') {
  const [address, port] = args
  createInterface({ input: process.stdin }).on('line', async (withinMs) => {
    const ms = await quickestMs(address, Number(port), Number(withinMs))
    process.stdout.write(`${JSON.stringify({ ms })}\n`)
  })
  ready(Number(port))
} else {
  const [address, port] = args
  const server = createServer((socket) => socket.on('error', () => undefined).end())
  server.listen(Number(port), address, () => ready(Number(port)))
}
process.stdin.once('end', () => process.exit()).resume()
