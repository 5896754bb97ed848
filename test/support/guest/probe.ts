import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { testMachine, type Guest } from './guest.ts'
import type { ProbeRequest, RoundTrips, RoundTripTimes } from './probe-process.ts'
import { projectDir } from './recipe.ts'

/** A program in a namespace of a guest that answers others and asks them. */
export interface Probe {
  /** Echoes UDP and accepts TCP on these ports; 9000 is what the others ask. */
  serve(...ports: readonly number[]): Promise<void>
  /** All at once. @returns the times by the names of the requests */
  roundTrips<K extends string>(
    all: Readonly<Record<K, RoundTrips>>,
  ): Promise<Record<K, RoundTripTimes>>
  [Symbol.dispose](): void
}

const program = '/root/probe-process.ts'
const startWithinMs = 60_000

/**
 * Starts a probe, in a namespace that a command such as `ip netns exec far` leads to. It is spoken with
 * over a connection from the guest to this machine: one that its own network, whatever it is, has no part in.
 */
export async function startProbe(guest: Guest, within: readonly string[] = []): Promise<Probe> {
  await guest.write(program, readFileSync(join(import.meta.dirname, 'probe-process.ts')))
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const node = join(projectDir, 'node_modules/.bin/node')
  // bash opens the connection where the guest's own network is; the program has it from there.
  const script = 'exec 3<>"/dev/tcp/$0/$1"; shift; setsid "$@" <&3 >&3 2>/dev/console &'
  const command = [...within, node, program]
  const signal = AbortSignal.timeout(startWithinMs)
  const [[socket]] = (await Promise.all([
    once(server, 'connection', { signal }),
    guest.ok(['bash', '-c', script, testMachine, String(port), ...command]),
  ])) as [[Socket], string]
  server.close()
  return talkTo(socket, signal)
}

async function talkTo(socket: Socket, signal: AbortSignal): Promise<Probe> {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let asked = 0
  const lines = createInterface({ input: socket })
  // It says a first word when it is there.
  await once(lines, 'line', { signal })
  lines.on('line', (line) => {
    const { id, value, error } = JSON.parse(line) as { id: number; value: never; error?: string }
    const one = waiting.get(id)
    if (error === undefined) one?.resolve(value)
    else one?.reject(new Error(error))
  })
  socket.on('error', () => undefined)
  socket.once('close', () => {
    for (const one of waiting.values()) one.reject(new Error('A probe in a guest has ended.'))
  })
  const ask = <T>(request: ProbeRequest) =>
    new Promise<T>((resolve, reject) => {
      const id = asked++
      waiting.set(id, { resolve, reject })
      socket.write(`${JSON.stringify({ id, ...request })}\n`)
    })
  return {
    serve: (...ports) => ask({ op: 'serve', ports }),
    async roundTrips(all) {
      const names = Object.keys(all)
      const times = await ask<RoundTripTimes[]>({ op: 'roundTrips', all: Object.values(all) })
      return Object.fromEntries(names.map((name, index) => [name, times[index]])) as never
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}
