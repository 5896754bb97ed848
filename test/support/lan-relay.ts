/**
 * Carries TCP connections between two network namespaces through a Unix socket, and serves as a host
 * to talk to. Started as `lan-relay.ts <what> …`; says `ready` when it listens.
 *
 * - `out <port> <socket>`: from the Unix socket to a port of this namespace's loopback
 * - `in <address> <socket>`: from any port of an address to the Unix socket
 * - `echo <address> <port>`: accepts and ends connections
 */
import { connect, createServer, type Socket } from 'node:net'

const [what, ...args] = process.argv.slice(2) as [string, string, string]

function join(a: Socket, b: Socket): void {
  a.on('error', () => b.destroy()).pipe(b)
  b.on('error', () => a.destroy()).pipe(a)
}

function ready(port: number): void {
  process.stdout.write(`${JSON.stringify({ ready: true, port })}\n`)
}

if (what === 'out') {
  const [port, path] = args
  const server = createServer((socket) => join(socket, connect(Number(port), '127.0.0.1')))
  server.listen(path, () => ready(0))
} else if (what === 'in') {
  const [address, path] = args
  const server = createServer((socket) => join(socket, connect(path)))
  server.listen(0, address, () => ready((server.address() as { port: number }).port))
} else {
  const [address, port] = args
  const server = createServer((socket) => socket.on('error', () => undefined).end())
  server.listen(Number(port), address, () => ready(Number(port)))
}
process.stdin.once('end', () => process.exit()).resume()
