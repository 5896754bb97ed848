/**
 * One end of a wire, for tests: a process in a network namespace that serves, and that tries what its
 * programs would try. Takes requests as JSON lines on stdin, answers on stdout; ends with stdin.
 */
import { execFile } from 'node:child_process'
import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createInterface } from 'node:readline'
import koffi from 'koffi'
import { serveNames, type NameRecords } from './network-names.ts'

/** One try to reach somebody. */
export interface Try {
  readonly how: 'udp' | 'tcp' | 'ping'
  readonly address: string
  readonly port?: number
  readonly localPort?: number
  readonly localAddress?: string
  /** Bytes to send; more than the wire takes at once are sent in fragments. */
  readonly bytes?: number
  /** The socket wants to be told of errors (IP_RECVERR, IPV6_RECVERR). */
  readonly wantsErrors?: boolean
  readonly withinMs: number
}

/** What came of it: `answered`, `silent`, or the code of an error that the program was told of. */
export type Outcome = string

export type PeerRequest =
  | { readonly op: 'serve'; readonly ports: readonly number[] }
  | { readonly op: 'names'; readonly records: NameRecords }
  | { readonly op: 'try'; readonly tries: readonly Try[] }
  | { readonly op: 'received' }
  | { readonly op: 'open'; readonly name: string; readonly address: string; readonly port: number }
  | { readonly op: 'say'; readonly name: string; readonly withinMs: number }

const setOption = koffi
  .load(null)
  .func('int setsockopt(int socket, int level, int name, const int *value, uint32_t length)')
/** Level, option: IPPROTO_IP with IP_RECVERR, IPPROTO_IPV6 with IPV6_RECVERR. */
const receiveErrors = { 4: [0, 11], 6: [41, 25] } as const

/** UDP packets that came in, by port. */
const received: Record<number, number> = {}
const opened = new Map<string, Socket>()
let names: Awaited<ReturnType<typeof serveNames>> | undefined

/** Answers UDP and TCP on these ports with what it is sent. */
async function serve(ports: readonly number[]): Promise<void> {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) =>
    list.map(({ address }) => address).filter((address) => !address.startsWith('fe80:')),
  )
  for (const port of ports) {
    // One each: a socket for all addresses would answer from any of them.
    for (const address of addresses) await serveDatagrams(address, port)
    const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
    server.listen(port, '::')
    await once(server, 'listening')
  }
}

async function serveDatagrams(address: string, port: number): Promise<void> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (data, from) => {
    received[port] = (received[port] ?? 0) + 1
    socket.send(data, from.port, from.address, () => undefined)
  })
  socket.bind(port, address)
  await once(socket, 'listening')
}

function attempt(one: Try): Promise<Outcome> {
  if (one.how === 'ping') return ping(one)
  return one.how === 'udp' ? tryDatagram(one) : tryConnection(one)
}

function ping({ address, bytes = 56, withinMs }: Try): Promise<Outcome> {
  const args = ['-c', '1', '-n', '-W', String(withinMs / 1000), '-s', String(bytes), address]
  return new Promise((resolve) => {
    execFile('ping', args, (error, stdout, stderr) => {
      if (!error) return resolve('answered')
      // Whatever ping was told it prints; silence is a loss without a word.
      const told = /Unreachable|unreachable|not permitted|buffer space/.exec(stdout + stderr)
      resolve(told?.[0] ?? 'silent')
    })
  })
}

function tryDatagram(one: Try): Promise<Outcome> {
  const { address, port = 0, localPort = 0, localAddress, bytes = 32, wantsErrors, withinMs } = one
  const family = address.includes(':') ? 6 : 4
  return new Promise((resolve) => {
    const socket = createSocket({ type: `udp${family}`, reuseAddr: true })
    const finish = (outcome: Outcome) => {
      clearTimeout(timer)
      socket.close()
      resolve(outcome)
    }
    const timer = setTimeout(() => finish('silent'), withinMs)
    const fail = ({ code }: NodeJS.ErrnoException) => finish(code ?? 'an error')
    socket.once('error', fail)
    socket.once('message', () => finish('answered'))
    socket.bind(localPort, localAddress, () => {
      if (wantsErrors) wantErrors(socket, family)
      socket.send(Buffer.alloc(bytes, 1), port, address, (error) => error && fail(error))
    })
  })
}

function wantErrors(socket: Datagrams, family: 4 | 6): void {
  const { fd } = (socket as unknown as Record<symbol, { handle: { fd: number } }>)[
    Object.getOwnPropertySymbols(socket).find(
      (symbol) => symbol.description === 'state symbol',
    ) as symbol
  ]?.handle ?? { fd: -1 }
  const [level, name] = receiveErrors[family]
  if (setOption(fd, level, name, [1], 4) !== 0) throw new Error(`setsockopt: ${koffi.errno()}`)
}

function tryConnection({
  address,
  port = 0,
  localPort,
  localAddress,
  withinMs,
}: Try): Promise<Outcome> {
  return new Promise((resolve) => {
    const local = { ...(localPort ? { localPort } : {}), ...(localAddress ? { localAddress } : {}) }
    const socket = connect({ host: address, port, ...local })
    const finish = (outcome: Outcome) => {
      clearTimeout(timer)
      // A reset leaves nothing behind on either side.
      socket.resetAndDestroy()
      resolve(outcome)
    }
    const timer = setTimeout(() => finish('silent'), withinMs)
    socket.once('connect', () => finish('answered'))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => finish(code ?? 'an error'))
  })
}

async function open(name: string, address: string, port: number): Promise<void> {
  const socket = connect(port, address)
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  opened.set(name, socket)
}

/** Sends a word over an open connection and waits for it to come back. */
async function speak(name: string, withinMs: number): Promise<Outcome> {
  const socket = opened.get(name)
  if (!socket || socket.destroyed) return 'closed'
  const answer = Promise.withResolvers<Outcome>()
  const timer = setTimeout(() => answer.resolve('silent'), withinMs)
  socket.once('data', () => answer.resolve('answered'))
  socket.once('close', () => answer.resolve('closed'))
  socket.write('word')
  const outcome = await answer.promise
  clearTimeout(timer)
  socket.removeAllListeners('data')
  return outcome
}

async function carryOut(request: PeerRequest): Promise<unknown> {
  switch (request.op) {
    case 'serve':
      return serve(request.ports)
    case 'names':
      names ??= await serveNames()
      return names.answer(request.records)
    case 'try':
      return Promise.all(request.tries.map(attempt))
    case 'received':
      return received
    case 'open':
      return open(request.name, request.address, request.port)
    case 'say':
      return speak(request.name, request.withinMs)
    default:
      return request satisfies never
  }
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, ...request } = JSON.parse(line) as PeerRequest & { id: number }
    const answer = await carryOut(request as PeerRequest).then(
      (value) => ({ id, value: value ?? null }),
      (error: Error) => ({ id, error: error.message }),
    )
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  })
  .once('close', () => process.exit())
